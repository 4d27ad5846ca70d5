"""Inventions used out of doors: an antenna mount, a drip emitter, a ski binding, a greenhouse vent."""

from __future__ import annotations

from tarstop_core.simulate.inventions.model import Invention, feature, lines, mechanisms

ANTENNA_MOUNT = Invention(
    topic="antenna-mount",
    title="Foldable antenna mount",
    claim=(
        "A foldable antenna mount for a vehicle roof, comprising a base plate held by suction cups; "
        "a mast pivoted on the base plate by a hinge, the hinge having a spring-loaded detent pin which locks "
        "the mast in several inclined positions; and a counterbalance gas strut arranged between the base plate "
        "and the mast so that the mast with its antenna can be raised by one person."
    ),
    devices=lines("""
        foldable antenna mount
        antenna bracket
        portable mast assembly
        tilting mast support
        aerial carrier
        folding mast
        field antenna stand
    """),
    uses=lines("""
        for a vehicle roof
        for an emergency communications van
        for use on a boat or a caravan
        for outside broadcast units
        for temporary radio links
        for amateur radio stations
        for a weather station on a flat roof
        for military shelters
    """),
    purposes=lines("""
        set up an antenna quickly where no permanent mast may be built
        carry a directional antenna steadily in gusty wind
        let one person raise and lower the antenna
        keep the height of the parked vehicle small
        align the antenna without a ladder
        protect the antenna while the vehicle is driven
    """),
    problems=lines("""
        swaying of the antenna in gusts
        drilling of holes through the roof
        loosening of joints by vibration
        pinched fingers when the mast is lowered
        corrosion where different metals meet
        damage by low branches and garage doors
        wear of the coaxial cable at the joint
    """),
    advantages=lines("""
        the antenna is ready for use in less than two minutes
        the mast can be stowed flat in a narrow compartment
        no tools are needed at the site
        the load on the roof is spread over a large area
        the antenna returns to the same bearing each time it is raised
        the unit can be moved from one vehicle to another
        the folded mount adds less than {mm} mm to the height of the vehicle
    """),
    operations=lines("""
        the antenna is raised until it clears the roof rack, turned to the wanted bearing and secured
        the operator stands beside the vehicle and lifts the free end of the mast
        the mount is carried folded and opened out when the vehicle has parked
        the coaxial cable is led down the mast and through a grommet near its foot
        the antenna is lowered before driving off and a lamp in the cab shows that it is stowed
    """),
    extras=mechanisms("""
        guy line tensioner | guy lines with tensioners hooked to the gutters of the vehicle
        telescopic mast section | a telescopic upper section of {metal} that slides out by {num} cm
        rotating collar | a rotating collar with a graduated scale for setting the bearing
        lightning arrester | a lightning arrester in the foot of the mast
        cable reel | a cable reel that takes up slack coaxial cable
        ballast tray | a ballast tray that can be filled with sand or water
        worm-gear rotator | an electric rotator with a worm gear
        wind sensor | a wind sensor that warns before a safe speed is exceeded
        streamlined cover | a streamlined cover of {polymer} over the folded parts
        earthing strap | an earthing strap of braided copper
        quick-release antenna socket | a quick-release socket for exchanging antennas
        damping sleeve | a damping sleeve of {soft} around the foot of the mast
        stowage cradle | a stowage cradle lined with felt in which the mast rests
        levelling feet | levelling feet with a spirit level
    """),
    features=(
        feature(
            "a base held by suction cups",
            close="""
                suction cup base plate | a base plate held by suction cups
                base with suction cups | a base plate resting on four suction cups with release levers
            """,
            far="""
                vacuum-held foot | a foot that clings to the panel by vacuum pads
                vacuum pads | a platform held down by pads from which the air is drawn
            """,
            other="""
                magnetic base | a base plate held by rubber-coated magnets
                roof rack clamp | a base plate clamped to the bars of a roof rack
                gutter clamps | clamps that grip the rain gutters on both sides
                adhesive base | a base plate bonded to the roof by adhesive tape
                through-bolted plate | a base plate bolted through the roof with a sealing gasket
                wheel ramp base | a base plate on which a wheel of the vehicle is parked
            """,
        ),
        feature(
            "a hinge with a spring-loaded detent pin",
            close="""
                spring-loaded detent hinge | a hinge having a spring-loaded detent pin which locks the mast
                hinge with detent pin | a hinge whose spring-loaded detent pin enters one of several holes
            """,
            far="""
                sprung plunger pivot | a pivot on which a sprung plunger snaps into notches of a quadrant
                indexing bolt | a tilting joint indexed by a bolt that a coil spring drives into sockets
            """,
            other="""
                friction hinge | a friction hinge tightened by a wing nut
                toothed disc joint | a joint with two toothed discs pressed together by a cam lever
                over-centre latch | a hinge with an over-centre latch for the upright position only
                ball joint | a ball joint clamped by a split ring
                ratchet strap | a hinge and a ratchet strap that holds the mast upright
                screw-locked pivot | a pivot locked by a hand-turned clamping screw
            """,
        ),
        feature(
            "a counterbalancing gas strut",
            close="""
                counterbalance gas strut | a counterbalance gas strut between the base plate and the mast
                gas strut lift | a gas strut arranged between the base and the mast to counterbalance the antenna
            """,
            far="""
                pneumatic lifting aid | a pressurised cylinder that carries most of the weight while it is swung up
                gas-filled cylinder | a sealed cylinder filled with nitrogen that eases the tilting movement
            """,
            other="""
                hand winch | a hand winch and a wire that pulls the mast upright
                torsion spring | a torsion spring wound round the axis of the hinge
                electric spindle drive | an electric spindle drive with limit switches
                counterweight | a counterweight of lead at the lower end of the mast
                lifting handle | a long lifting handle that acts as a lever
                hydraulic jack | a hydraulic jack worked by a foot pedal
            """,
        ),
    ),
)

DRIP_EMITTER = Invention(
    topic="drip-emitter",
    title="Self-cleaning drip irrigation emitter",
    claim=(
        "A drip irrigation emitter for insertion in a supply tube, comprising an inlet filter with slots narrower "
        "than the flow path; a labyrinth channel which lowers the water pressure; and an elastic silicone membrane "
        "which regulates the flow and which at low pressure opens a flushing gap, so that particles are washed out "
        "of the labyrinth channel each time the supply is switched on, and clogging of the drip emitter is prevented."
    ),
    devices=lines("""
        drip irrigation emitter
        dripper
        irrigation drip line
        flow-regulating emitter
        trickle irrigation device
        water outlet unit
        micro-irrigation nozzle
    """),
    uses=lines("""
        for insertion in a supply tube
        for row crops on sandy soil
        for vineyards on slopes
        for potted plants in a greenhouse
        for green roofs and facades
        for orchards irrigated with treated waste water
        for buried irrigation lines
        for seedling trays
    """),
    purposes=lines("""
        deliver the same amount of water to every plant along the tube
        save water in dry regions
        irrigate with water that carries sand or algae
        feed fertiliser with the irrigation water
        keep the flow constant on hilly ground
        lengthen the time between inspections
    """),
    problems=lines("""
        clogging by sand and algae
        uneven watering at the far end of the line
        salt deposits at the outlet
        entry of roots into the outlet
        dripping after the supply is shut off
        suction of soil when the line drains
        bursting of joints at start-up
    """),
    advantages=lines("""
        the flow stays within {pct} per cent over the working range of pressure
        cheap water of poor quality can be used
        lines of more than {big} m can be laid without a booster pump
        the part can be moulded in one shot
        the grower need not walk the rows to look for blocked outlets
        the amount of plastic in each outlet is reduced
        the line can be rolled up at the end of the season without damage
    """),
    operations=lines("""
        water enters from the tube, loses most of its pressure and leaves as single drops
        the line fills from the valve end and every outlet starts within a minute
        the tube is laid along the row with the outlets facing upwards
        the outlet is pushed into the wall of the tube after extrusion
        the pump is switched on twice a day by a timer
    """),
    extras=mechanisms("""
        barbed connector | a barbed connector that pierces the wall of the tube
        root barrier | a root barrier of copper-filled {polymer} around the outlet
        anti-drain valve | an anti-drain valve that keeps the line full between waterings
        air vent | an air vent that lets air back in when the line empties
        dosing inlet | a dosing inlet for liquid fertiliser
        swivel stake | a stake of {polymer} that carries the outlet above the soil
        soil moisture probe | a soil moisture probe that switches the supply
        colour-coded cap | a colour-coded cap that shows the rate of flow
        double-walled tube | a double-walled tube with an inner distribution channel
        welded seam | a welded seam that fixes the part to the wall of the tube
        branching manifold | a manifold with {few} branching outlets
        dirt cover | a hinged cover over the outlet that keeps soil and insects out
        ultraviolet-resistant housing | a housing of ultraviolet-resistant {polymer}
        end-of-line valve | an end-of-line valve for rinsing the whole tube
    """),
    features=(
        feature(
            "an inlet filter finer than the flow path",
            close="""
                slotted inlet filter | an inlet filter with slots narrower than the flow path
                inlet filter slots | an inlet filter whose slots are narrower than the channel behind it
            """,
            far="""
                entrance sieve | a sieve at the entrance with openings smaller than any later passage
                fine entrance grid | a grid of ribs that holds back every grain too large to pass further on
            """,
            other="""
                settling chamber | a settling chamber in which sand sinks to the bottom
                upstream disc filter | a disc filter at the head of the field
                single inlet bore | a single inlet bore drilled through the wall
                wide inlet funnel | a wide inlet funnel facing the stream
                woven sock | a woven sock drawn over the whole tube
                cyclone separator | a cyclone separator that feeds several outlets
            """,
        ),
        feature(
            "a labyrinth channel",
            close="""
                labyrinth channel | a labyrinth channel which lowers the water pressure
                toothed labyrinth channel | a labyrinth channel with teeth on both sides
            """,
            far="""
                zigzag passage | a zigzag passage whose many corners take the energy out of the stream
                baffled duct | a winding duct with staggered baffles in which turbulence uses up the head
            """,
            other="""
                spiral groove | a long smooth spiral groove on a core
                orifice plate | an orifice plate with a calibrated hole
                vortex chamber | a vortex chamber entered along a tangent
                porous plug | a porous plug of sintered {polymer}
                capillary tube | a capillary tube cut to length
                needle valve | a needle valve set by hand
            """,
        ),
        feature(
            "an elastic membrane that flushes at low pressure",
            close="""
                flushing membrane | an elastic silicone membrane which at low pressure opens a flushing gap
                self-flushing silicone membrane | a silicone membrane which opens a flushing gap until pressure builds
            """,
            far="""
                lifting rubber disc | a rubber disc that stands clear of its seat during filling and lets debris out
                flexible rinsing diaphragm | a flexible diaphragm which leaves a rinsing slit free until the line fills
            """,
            other="""
                fixed cover plate | a fixed cover plate welded over the passage
                regulating membrane | an elastic membrane that narrows the outlet as pressure rises and rests closed
                removable cap | a cap that is taken off for cleaning by hand
                ball check valve | a ball check valve with a weak spring
                acid injection port | a port through which acid is injected to dissolve deposits
                sliding piston | a sliding piston that throttles the outlet
            """,
        ),
    ),
)

SKI_BINDING = Invention(
    topic="ski-binding",
    title="Touring ski binding with braking heel piece",
    claim=(
        "A touring ski binding comprising a toe piece with two pivoting arms carrying pins which engage the boot; "
        "a heel piece slidable on a rail between a walking position and a skiing position by means of a lever that "
        "can be worked with a ski pole; and a ski brake which is locked in the raised position by the heel piece "
        "when the heel piece is in the walking position and released by it in the skiing position."
    ),
    devices=lines("""
        touring ski binding
        alpine binding
        release binding for skis
        heel unit
        ski binding
        boot retention device
        ski mountaineering binding
    """),
    uses=lines("""
        for day tours
        for ski mountaineering races
        for rental skis
        for splitboards
        for wide powder skis
        for military ski patrols
        for beginners
        for telemark skiers
    """),
    purposes=lines("""
        change between climbing and downhill skiing without taking off the ski
        release the boot in a fall and hold it otherwise
        save weight on long ascents
        stop a lost ski on the slope
        fit boots of different lengths
        give the skier a natural stride uphill
    """),
    problems=lines("""
        icing of the moving parts
        unwanted release on hard snow
        injuries of the knee in a slow fall
        loss of a ski in deep snow
        scraping of the brake on the snow during the climb
        play between boot and binding
        stress on the ski when it bends
    """),
    advantages=lines("""
        the skier can switch over with gloves on
        the weight is below {gram} g for each foot
        the release value can be read off and set without tools
        snow is pushed out of the mechanism each time the boot steps in
        the ski flexes freely under the boot
        the same holes serve three sizes of boot
        the climb takes less effort
    """),
    operations=lines("""
        the skier steps in with the toe first and presses the heel down
        skins are fixed under the ski and the heel rises freely at each step
        the boot leaves the binding sideways when the twisting force exceeds the set value
        at the top the skins are taken off and the heel is fixed again
        the binding is screwed to the ski through holes drilled with a template
    """),
    extras=mechanisms("""
        climbing aid | a climbing aid with {few} heights
        release spring | a release spring with an adjusting screw and a scale
        anti-ice coating | an anti-ice coating on the sliding faces
        crampon slot | a slot that takes a crampon for icy slopes
        safety leash | a safety leash with a breaking link
        elastic mounting pad | an elastic mounting pad of {soft}
        boot length scale | a scale for the length of the boot sole
        transmitter pocket | a pocket for a radio transmitter that helps to find a lost ski
        forefoot plate | a forefoot plate with a low-friction insert
        carbon cover | a cover of carbon fibre that sheds snow
        release indicator | an indicator window that shows whether the boot is held safely
        mounting rail | a mounting rail glued into a groove of the ski
        rubber bellows | rubber bellows that keep snow away from the spring
        torsion bar | a torsion bar that stores energy in long turns
    """),
    features=(
        feature(
            "a toe piece with pivoting pin arms",
            close="""
                toe piece with pin arms | a toe piece with two pivoting arms carrying pins
                pivoting arm toe piece | a toe piece whose pivoting arms carry pins which engage the boot
            """,
            far="""
                swinging jaws with studs | a pair of swinging jaws whose studs enter sockets in the front of the sole
                front clamp with studs | a front clamp with two rocking levers ending in studs
            """,
            other="""
                wing toe unit | a toe unit with two wings that grip the edge of the sole
                hinged frame | a frame that carries toe and heel and turns about a front axle
                cable around the heel | a cable that pulls the boot against a front stop
                toe bar hook | a hook that grips a bar in the sole of the boot
                strap bail | a wire bail and a strap over the toes
                magnetic toe plate | a magnetic toe plate with side guards
            """,
        ),
        feature(
            "a heel piece moved by a pole-operated lever",
            close="""
                sliding heel piece | a heel piece slidable on a rail by a lever that can be worked with a ski pole
                pole-operated heel piece | a heel piece that a lever worked with a ski pole shifts along a rail
            """,
            far="""
                shiftable rear unit | a rear unit driven along its track by a crank with a dimple for the stick's tip
                crank-shifted rear unit | a rear unit drawn back by a crank which the stick reaches while standing
            """,
            other="""
                rotating heel unit | a heel unit turned by hand through a quarter turn
                fixed heel unit | a fixed heel unit with a flap that is folded over its pins
                removable heel unit | a heel unit lifted off and carried in the rucksack
                heel unit with thumb screw | a heel unit moved by a thumb screw
                tilting heel turret | a heel turret tilted backwards against a spring
                frame latch | a latch under the heel that is opened by hand
            """,
        ),
        feature(
            "a ski brake locked by the heel piece",
            close="""
                brake locked by heel piece | a ski brake which is locked in the raised position by the heel piece
                heel-locked ski brake | a ski brake locked by the heel piece when that is in the walking position
            """,
            far="""
                stopper held by rear unit | a snow stopper whose prongs are caught under the rear unit for the climb
                retained stopper prongs | stopper prongs that the retracted rear unit keeps clear of the snow
            """,
            other="""
                strap-on brake | a ski brake held up by a rubber strap
                brake with own catch | a ski brake with a catch of its own that is pressed by hand
                brake at the toe | a ski brake at the toe that opens when the boot leaves
                no-brake leash | a leash with a clip in place of a brake
                pedal brake | a ski brake folded by a pedal under the boot, also while climbing
                detachable brake | a ski brake that slides off its base for the climb
            """,
        ),
    ),
)

GREENHOUSE_VENT = Invention(
    topic="greenhouse-vent",
    title="Automatic greenhouse roof vent",
    claim=(
        "An automatic greenhouse roof vent comprising a hinged glazed frame; an actuator cylinder filled with wax "
        "which expands with the temperature and pushes a piston to open the frame; a return spring closing the frame "
        "when the wax cools; and a wind flap which, when struck by a gust, uncouples the actuator from the frame by "
        "means of a trip catch so that the vent falls shut without electricity."
    ),
    devices=lines("""
        glazed roof vent
        automatic window opener
        ventilation flap
        vent actuator
        skylight opener
        automatic ventilator
        vent lifter
    """),
    uses=lines("""
        for a greenhouse
        for a cold frame
        for polytunnels
        for conservatories
        for poultry houses
        for commercial glasshouses with many vents
        for allotment gardens without mains electricity
        for plant propagation cabinets
    """),
    purposes=lines("""
        keep the temperature within limits without supervision
        let moist air out before it condenses on the leaves
        protect young plants from overheating
        close the roof before rain or storm does damage
        save energy for heating at night
        ventilate evenly along the ridge
    """),
    problems=lines("""
        scorching of plants on sunny mornings
        breaking of panes in storms
        fungal disease caused by moist air
        slow reaction to passing clouds
        dependence on mains electricity
        jamming by frost
        entry of insects and birds
    """),
    advantages=lines("""
        the vent reacts within minutes of a change
        no wiring is needed
        a single person can fit the device in half an hour
        the opening temperature can be set between {lowtemp} and {hightemp} degrees
        the device works for many seasons without service
        heating costs fall in spring and autumn
        the panes are not strained when the frame closes
    """),
    operations=lines("""
        warm air collects under the ridge and escapes when the vent opens
        the vent closes slowly in the evening and stays shut overnight
        the gardener sets the opening temperature by turning a knob
        the device is hooked to the sill and to the frame by two brackets
        the vent opens a hand's breadth at first and fully in the heat of the day
    """),
    extras=mechanisms("""
        insect screen | an insect screen of {polymer} mesh below the opening
        humidity sensor | a humidity sensor with a strip of hair or cellulose
        rain gutter | a rain gutter around the opening
        ridge seal | a ridge seal of {soft}
        solar panel | a solar panel that charges a small battery
        shade curtain | a shade curtain drawn by the same shaft
        rack and pinion | a rack and pinion that moves {few} vents together
        radio transmitter | a radio transmitter that reports the position
        manual override | a manual override with a pull cord
        adjustable bracket | an adjustable bracket of {metal} for sills of different depth
        double glazing | a double-glazed pane with a warm edge
        damper | a damper that slows the last part of the movement
        fan | a fan mounted in the gable that starts when the vents are open
        mist nozzle | a mist nozzle for cooling in dry weather
    """),
    features=(
        feature(
            "a wax-filled actuator cylinder",
            close="""
                wax actuator cylinder | an actuator cylinder filled with wax which expands with the temperature
                wax-filled actuator | an actuator cylinder in which expanding wax pushes a piston
            """,
            far="""
                paraffin thrust element | a thrust element whose paraffin charge swells as the air warms
                paraffin pusher | a sealed tube of paraffin that drives out a rod when it melts
            """,
            other="""
                bimetal coil | a bimetal coil that unwinds with warmth
                electric spindle motor | an electric spindle motor switched by a thermostat
                shape memory wire | a shape memory wire of nickel titanium
                gas bellows | bellows filled with a gas that boils at room temperature
                pneumatic hose | an inflatable hose fed by a blower
                hand crank | a hand crank with a worm gear
            """,
        ),
        feature(
            "a return spring",
            close="""
                return spring | a return spring closing the frame when the wax cools
                closing return spring | a return spring which closes the frame on cooling
            """,
            far="""
                restoring coil | a coil under tension that draws the sash down again in the evening
                tension coil | a pair of tension coils that pull the sash back onto its seat
            """,
            other="""
                closing by weight | a weighted edge by which the frame closes
                double-acting cylinder | a double-acting cylinder that both opens and closes
                closing cord | a cord wound on a drum for closing
                second motor | a second motor that turns the other way to close
                counterweight arm | an arm with a sliding counterweight
                elastic seal | an elastic seal that holds the frame ajar
            """,
        ),
        feature(
            "a wind flap that trips the coupling",
            close="""
                wind flap trip catch | a wind flap which uncouples the actuator from the frame by a trip catch
                wind flap release | a wind flap which, when struck by a gust, opens a trip catch
            """,
            far="""
                storm vane release | a storm vane that unlatches the drive rod so the sash drops
                air paddle trigger | a paddle outside the roof that a strong blast tilts, which unlatches the drive
            """,
            other="""
                cup anemometer | a cup anemometer wired to a controller
                wind deflector | a fixed wind deflector along the ridge
                breakaway link | a plastic link that breaks in a storm and must be renewed
                chain stop | a chain that limits how far the frame opens
                rain sensor | a rain sensor that reports to a controller
                magnetic hold-down | a magnetic hold-down along the lower edge
            """,
        ),
    ),
)
