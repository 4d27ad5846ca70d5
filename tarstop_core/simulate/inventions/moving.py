"""Inventions that move or carry: a bicycle brake, a battery pack, a drone gripper, a stair trolley."""

from __future__ import annotations

from tarstop_core.simulate.inventions.model import Invention, feature, lines, mechanisms

BICYCLE_BRAKE = Invention(
    topic="bicycle-brake",
    title="Bicycle disc brake with wear adjustment",
    claim=(
        "A bicycle disc brake comprising a caliper with two brake pads; a cable-actuated ball ramp which presses one "
        "of the pads against the brake disc; a ratchet which takes up wear of the pads by turning a threaded sleeve "
        "each time the stroke of the lever exceeds a limit; and a wear indicator projecting from the caliper as the "
        "threaded sleeve advances, so that the rider sees when the brake pads must be replaced."
    ),
    devices=lines("""
        bicycle disc brake
        brake caliper
        cycle brake
        braking device for two-wheelers
        brake actuator
        wheel brake
        mechanical disc brake
    """),
    uses=lines("""
        for city bicycles
        for cargo bicycles
        for folding bicycles
        for hire bicycles in cities
        for mountain bicycles
        for recumbent tricycles
        for wheelchairs and hand bikes
        for children's bicycles
    """),
    purposes=lines("""
        keep the stroke of the lever constant while the pads wear
        stop safely in rain and mud
        tell the rider when service is due
        share the braking force between both wheels
        keep heat away from cable and seals
        make fitting possible without special tools
    """),
    problems=lines("""
        fading of the brake on long descents
        dragging of the pads on the disc
        squealing in wet weather
        locking of the front wheel
        corrosion of the cable
        overlooked wear of the pads
        uneven wear of the two pads
    """),
    advantages=lines("""
        the lever can be pulled with two fingers
        pads can be changed without taking off the wheel
        the brake needs no bleeding
        the brake works equally well when the wheel turns backwards
        service intervals are doubled
        the caliper weighs only {big} g
        hand force falls by {num} per cent
    """),
    operations=lines("""
        the rider pulls the lever and the wheel is slowed
        the cable is led along the frame and hooked to an arm of the caliper
        when the lever is let go a spring draws the pads off the disc
        the caliper is aligned by loosening two bolts and pulling the lever
        water is wiped from the disc during the first turn of the wheel
    """),
    extras=mechanisms("""
        cooling fins | cooling fins of {metal} on the back of the pads
        floating disc | a disc floating on {few} rivets
        cable seal | a seal of {soft} at the entry of the cable
        force limiter | a spring that limits the force at the front wheel
        parking catch | a parking catch at the lever
        pad spring | a leaf spring that keeps the pads apart
        flat-mount bracket | a bracket for flat frames
        brake light switch | a switch for a brake light
        dust boot | a dust boot of {soft}
        equaliser bar | an equaliser bar between front and rear brake
        quick-release pin | a quick-release pin for the pads
        reach adjuster | an adjuster for small hands at the lever
        heat insulator | a heat-insulating disc behind the pad
        slotted rotor | a slotted rotor that sheds water
    """),
    features=(
        feature(
            "a cable-actuated ball ramp",
            close="""
                cable-actuated ball ramp | a cable-actuated ball ramp which presses one of the pads
                ball ramp caliper | a caliper with a ball ramp turned by the cable
            """,
            far="""
                rolling-element spreader | a spreader in which steel spheres climb inclined grooves when a wire pulls
                sphere-and-groove thruster | a wire-pulled thruster with spheres in inclined grooves
            """,
            other="""
                hydraulic piston | a hydraulic piston in a bore of the caliper
                steep-pitch screw | a steep-pitch screw turned by an arm
                cam lever | a cam on a lever that pushes the pad
                wedge | a wedge drawn between the pad and the housing
                twin scissor arms | two scissor arms drawn together by the cable
                electric spindle | an electric motor with a spindle
            """,
        ),
        feature(
            "a ratchet that takes up wear",
            close="""
                wear take-up ratchet | a ratchet which takes up wear of the pads by turning a threaded sleeve
                ratchet and threaded sleeve | a ratchet that turns a threaded sleeve when the stroke exceeds a limit
            """,
            far="""
                self-adjusting pawl | a pawl that screws a bush forward by one tooth once travel has grown too long
                automatic slack adjuster | a slack adjuster whose pawl screws a bush forward tooth by tooth
            """,
            other="""
                barrel adjuster | a barrel adjuster on the cable turned by hand
                adjusting knob | an adjusting knob with clicks on the outer side
                hydraulic reservoir | a reservoir from which fluid follows the wear
                friction ring | a friction ring that creeps along the piston
                shims | shims placed behind the pad at each service
                set screw | a set screw reached through the spokes
            """,
        ),
        feature(
            "a projecting wear indicator",
            close="""
                projecting wear indicator | a wear indicator projecting from the caliper as the sleeve advances
                wear indicator | a wear indicator which projects further from the caliper with every adjustment
            """,
            far="""
                telltale pin | a telltale pin that stands out more and more as lining thickness falls
                lining gauge pin | a gauge pin whose coloured end emerges when the linings are thin
            """,
            other="""
                inspection window | an inspection window above the pads
                acoustic wear spring | a spring that squeaks on the disc when the pads are thin
                electric wear contact | a contact in the pad that lights a lamp
                grooves in the pads | grooves in the pads that vanish with wear
                mileage counter | a mileage counter that recommends a change
                thickness gauge | a loose gauge of sheet {metal} supplied with the brake
            """,
        ),
    ),
)

BATTERY_PACK = Invention(
    topic="battery-pack",
    title="Battery pack with fire barrier",
    claim=(
        "A battery pack comprising rows of cylindrical cells held in a frame; a cooling plate with liquid channels "
        "that touches the bottoms of the cells; intumescent sleeves around the cells which swell when heated and keep "
        "a fire in one cell from its neighbours; and a vent duct along the tops of the cells leading hot gas to a "
        "rupture disc in the wall of the battery pack."
    ),
    devices=lines("""
        battery pack
        battery module
        accumulator housing
        energy storage unit
        traction battery
        cell holder
        rechargeable battery assembly
    """),
    uses=lines("""
        for electric vehicles
        for electric bicycles
        for power tools
        for stationary storage in houses
        for aircraft tugs
        for hospital beds
        for boats
        for robotic lawn mowers
    """),
    purposes=lines("""
        keep a fault in one cell from spreading
        hold all cells at nearly the same temperature
        carry away gas safely
        withstand vibration and shocks
        make worn cells exchangeable
        reduce the weight of the housing
    """),
    problems=lines("""
        spreading of fire from cell to cell
        uneven ageing of the cells
        condensation of water in the housing
        breaking of welds by vibration
        swelling of the cells
        long charging times in the cold
        damage by stones from the road
    """),
    advantages=lines("""
        the temperature differs by less than {few} degrees between cells
        neighbouring cells survive a thermal runaway
        the pack can be taken apart for recycling
        charging takes less than {num} minutes
        the frame needs no screws
        the pack passes a drop test from one metre
        the space between the cells is used
    """),
    operations=lines("""
        heat produced in the cells is carried away and given off outside
        the cells are inserted from above, welded and covered with a lid
        the controller balances the cells at the end of each charge
        the pack is pushed into its bay until the contacts meet
        in the cold the pack is warmed before it is charged
    """),
    extras=mechanisms("""
        cell monitoring board | a monitoring board with flexible conductors
        bus bars | bus bars of copper with fusible links
        compression pad | compression pads of {polymer} foam
        crash frame | a crash frame of {metal} profiles
        service plug | a service plug that breaks the circuit
        heating film | a heating film under the cells
        desiccant bag | a desiccant bag in the housing
        pressure equaliser | a membrane that equalises pressure
        state display | a display of the state of charge
        carrying handle | a folding handle
        potting compound | a potting compound of {polymer} around the contacts
        gas sensor | a gas sensor that reports a leaking cell
        stackable frames | stackable frames with {few} locating pins
        water detector | a water detector at the lowest point
    """),
    features=(
        feature(
            "a liquid cooling plate at the bottoms of the cells",
            close="""
                liquid cooling plate | a cooling plate with liquid channels that touches the bottoms of the cells
                bottom cooling plate | a cooling plate whose liquid channels run under the bottoms of the cells
            """,
            far="""
                coolant-carrying floor | a floor through which coolant circulates below the cylinders
                circulating coolant tray | a tray carrying glycol mixture on which the cylinders stand
            """,
            other="""
                air blower | a blower that draws air between the cells
                phase change wax | a wax around the cells that melts at {hightemp} degrees
                side cooling ribbon | a cooling ribbon winding between the rows
                heat pipes | heat pipes of copper leading to fins
                immersion bath | a bath of insulating oil around the cells
                graphite sheets | graphite sheets leading heat to the side walls
            """,
        ),
        feature(
            "intumescent sleeves around the cells",
            close="""
                intumescent sleeves | intumescent sleeves around the cells which swell when heated
                swelling intumescent sleeves | intumescent sleeves that swell around a cell on fire
            """,
            far="""
                expanding fire wraps | wraps of expanding graphite that foam up about an overheated cylinder
                foaming heat wraps | wraps that foam up and char to shield each cylinder from the next
            """,
            other="""
                mica sheets | mica sheets between the rows
                ceramic paper | ceramic paper under the lid
                wide cell spacing | a wide spacing of {mm} mm between the cells
                aerogel mats | aerogel mats between groups of cells
                partition walls | partition walls of {metal}
                water mist nozzle | a water mist nozzle started by a smoke sensor
            """,
        ),
        feature(
            "a vent duct to a rupture disc",
            close="""
                vent duct with rupture disc | a vent duct along the tops of the cells leading to a rupture disc
                rupture disc vent duct | a vent duct that takes hot gas to a rupture disc in the wall
            """,
            far="""
                fume channel and burst foil | an upper fume channel that ends at a burst foil
                exhaust passage | an exhaust passage over the cylinders closed outside by a foil made to burst
            """,
            other="""
                breather valve | a breather valve of porous {polymer}
                loose lid | a lid that lifts against springs when gas forms
                gas absorbing mat | a mat of activated carbon that absorbs gas
                open bottom grid | a grid in the floor that is open to the road
                sealed housing | a sealed housing of {metal} that withstands the pressure
                flame arrester | a flame arrester of wire mesh at each cell
            """,
        ),
    ),
)

DRONE_GRIPPER = Invention(
    topic="drone-gripper",
    title="Drone with perching gripper",
    claim=(
        "An unmanned aerial vehicle comprising rotors and a gripper below its body, the gripper having tendon-driven "
        "fingers which close round a branch or a pole under the weight of the vehicle, so that the vehicle perches "
        "without power; a release spool driven by a servo which slackens the tendons for take-off; and a "
        "tactile sensor in the fingers which tells a flight controller that the grip is firm before the rotors "
        "are stopped."
    ),
    devices=lines("""
        unmanned aerial vehicle
        drone
        multicopter
        perching rotorcraft
        drone gripper
        flying robot
        landing gear for drones
    """),
    uses=lines("""
        for inspecting power lines
        for watching wildlife
        for delivering parcels
        for taking samples from trees
        for surveying bridges
        for relaying radio signals
        for spraying orchards
        for fire watching
    """),
    purposes=lines("""
        stay at a place for hours without draining the battery
        land on uneven or narrow places
        carry and drop a load with precision
        protect the rotors when touching an obstacle
        take off again without help
        collect samples out of reach
    """),
    problems=lines("""
        short flying time
        tipping over on rough ground
        swinging of the load
        noise that frightens animals
        damage of the rotors by twigs
        drifting in gusts during approach
        loss of radio contact behind buildings
    """),
    advantages=lines("""
        the time on station grows by a factor of {few}
        no landing site need be prepared
        the vehicle can be recovered by an untrained person
        the extra weight is below {big} g
        bark and insulation are not harmed
        the camera is kept free of vibration
        the load is set down within {num} cm of the target
    """),
    operations=lines("""
        the vehicle approaches from above and descends slowly to the chosen place
        images are sent to the ground station over radio
        the vehicle hovers above the target while the operator confirms it
        the battery is exchanged in a hangar after each flight
        the rotors run up and the vehicle lifts off vertically
    """),
    extras=mechanisms("""
        rotor guards | rotor guards of {polymer} rods
        folding arms | folding arms with snap joints
        downward camera | a downward camera that recognises the target
        laser range finder | a laser range finder for the approach
        parachute | a parachute driven out by a spring
        solar film | a solar film on the upper face
        winch | a winch with {num} m of line
        payload hatch | a payload hatch held by a servo
        noise-reducing blades | rotor blades with toothed edges
        gimbal | a gimbal that steadies the camera
        radio beacon | a radio beacon for finding the vehicle
        tethered supply | a cable from the ground that supplies power
        anti-collision lights | anti-collision lights in {few} colours
        shock-absorbing skids | shock-absorbing skids of {metal} tube
    """),
    features=(
        feature(
            "tendon-driven fingers closed by the weight",
            close="""
                tendon-driven fingers | tendon-driven fingers which close round a branch under the weight
                weight-closed gripper | a gripper whose tendon-driven fingers close under the weight of the vehicle
            """,
            far="""
                claw clenched by own load | a bird-like claw whose cords are tightened as the craft settles
                self-clenching talons | talons drawn together by cords as the craft sinks down on a bough
            """,
            other="""
                motorised jaws | a pair of jaws closed by a motor and a screw
                adhesive pads | adhesive pads with micro-hairs
                hook | a hook that is hung over a wire
                vacuum gripper | a vacuum gripper with a small fan
                electromagnet | an electromagnet for steel structures
                spring trap clamp | a clamp of spring steel that snaps shut like a trap
            """,
        ),
        feature(
            "a servo-driven release spool",
            close="""
                servo release spool | a release spool driven by a servo which slackens the tendons
                release spool | a servo and a release spool that pays out the tendons for take-off
            """,
            far="""
                unwinding drum | a little drum that a geared motor unwinds to let the cords go loose
                cord-loosening capstan | a capstan turned by a geared motor so that the cords go loose
            """,
            other="""
                burn wire release | a wire that is burnt through for the release
                upward thrust release | a latch that opens when the rotors pull upwards
                rocking release | a cam that is freed by rocking sideways
                manual release | a cord by which a person on the ground opens the device
                reversing screw | a screw that is turned backwards
                spring ejector | a spring that pushes the vehicle away
            """,
        ),
        feature(
            "a tactile check of the grip before the rotors stop",
            close="""
                tactile grip sensor | a tactile sensor in the fingers which tells that the grip is firm
                tactile sensor before rotor stop | a tactile sensor on which stopping of the rotors depends
            """,
            far="""
                touch-confirmed shutdown | skin-like contact film that lets the propellers be cut only after firm hold
                contact film interlock | an interlock with contact film against cutting the propellers too early
            """,
            other="""
                barometric height sensor | a barometric height sensor that ends the flight
                current monitoring | a circuit that watches the current of the motors
                camera check by operator | a camera picture by which the operator judges the landing
                tilt sensor | a tilt sensor that restarts the rotors
                timed shutdown | a timer that stops the rotors some seconds after touching
                ultrasonic distance sensor | an ultrasonic distance sensor under the body
            """,
        ),
    ),
)

STAIR_TROLLEY = Invention(
    topic="stair-trolley",
    title="Stair-climbing hand trolley",
    claim=(
        "A hand trolley for stairs, comprising a frame with a load shelf; on each side a star of three wheels "
        "turning about a common hub, so that the trolley climbs a stair by turning the stars; an electric hub motor "
        "which turns the stars in step; and a back-stop brake in the hub which is released only while a grip on the "
        "handle is squeezed, so that the loaded trolley cannot roll down the stairs."
    ),
    devices=lines("""
        hand trolley
        sack truck
        stair climber
        transport cart
        shopping trolley
        load carrier
        stair-climbing vehicle
    """),
    uses=lines("""
        for stairs
        for delivering drinks crates
        for removal firms
        for elderly shoppers
        for gas bottles
        for carrying washing machines
        for wheelchairs
        for couriers in old towns
    """),
    purposes=lines("""
        carry heavy loads over stairs with little force
        protect the back of the user
        keep the load upright at every step
        pass narrow landings
        fold small for the boot of a car
        protect the edges of the steps
    """),
    problems=lines("""
        running away of the load on stairs
        bumping at every step
        strain on the user's back
        marks on wooden stairs
        tipping over backwards
        trapping of fingers in the folding frame
        slipping on wet steps
    """),
    advantages=lines("""
        a single person can carry {big} kg to the third floor
        the load does not swing
        both hands remain on the handle
        the trolley folds to the thickness of a suitcase
        steps of any usual height can be climbed
        the battery lasts for {big} steps
        the floor is not scratched
    """),
    operations=lines("""
        the user walks up backwards and draws the load after him
        on level ground the trolley is tilted and pushed as usual
        the load is strapped to the frame before it is tilted
        at the landing the user turns the trolley on the spot
        going down the user walks behind the load
    """),
    extras=mechanisms("""
        folding load shelf | a folding shelf of {metal}
        telescopic handle | a telescopic handle with {few} stops
        load strap | a load strap with a ratchet
        rubber edge guard | an edge guard of {soft} on the lower frame
        level indicator | an indicator that shows the best tilt
        swivel castor | a swivel castor for level ground
        removable battery | a removable battery with a lock
        insulated bag | an insulated bag hung in the frame
        step lighting | a lamp that lights the steps
        weighing cell | a scale in the shelf
        remote handset | a handset on a spiral cable
        adjustable back rest | a back rest for round loads
        pneumatic tyres | pneumatic tyres on rims of {metal}
        skid runners | skid runners of {polymer} along the frame
    """),
    features=(
        feature(
            "stars of three wheels about a common hub",
            close="""
                star of three wheels | a star of three wheels turning about a common hub on each side
                three-wheel stars | on each side a star of three wheels which turns about its hub
            """,
            far="""
                tri-lobed roller spider | a spider with a roller at the end of each of its three spokes
                triple-roller spiders | revolving spiders that bear triple rollers and walk over the edges
            """,
            other="""
                endless tracks | a pair of endless tracks with cleats
                lifting legs | a pair of lifting legs that push off from the step
                large single wheels | single wheels of large diameter
                walking cranks | cranks with rubber feet that walk up
                sliding runners | runners on which the frame slides
                four-bar lifting frame | a lifting frame with four bars and a second axle
            """,
        ),
        feature(
            "an electric hub motor",
            close="""
                electric hub motor | an electric hub motor which turns the stars in step
                hub motor drive | an electric hub motor in each hub
            """,
            far="""
                battery-driven axle | an axle revolved by a battery-fed gear unit
                powered axle | a powered axle with a direct-current gear unit inside its sleeve
            """,
            other="""
                muscle-powered pulling | a bow handle for pulling by hand
                hand crank drive | a hand crank with a chain
                spring energy store | a spring that is wound on the way down
                pneumatic cylinder | a pneumatic cylinder fed from a bottle
                rope winch | a rope winch anchored at the top of the flight
                spindle lift | an electric spindle that lifts the shelf
            """,
        ),
        feature(
            "a back-stop brake released by a squeezed grip",
            close="""
                squeeze-released brake | a back-stop brake which is released only while a grip is squeezed
                back-stop brake in hub | a back-stop brake in the hub released by squeezing a grip on the handle
            """,
            far="""
                dead-man locking pawl | a locking pawl that drops in the moment the hand lets go of a lever
                hold-to-run lock | a lock against backward rotation that a clasped lever keeps open
            """,
            other="""
                foot brake | a foot brake acting on the tyres
                worm gear locking | a worm gear that locks by itself
                speed governor | a speed governor with flyweights
                parking chock | a chock that is folded down for parking
                rubber drag shoe | a drag shoe of {soft} on the step
                electronic hold | a circuit that holds the position with current
            """,
        ),
    ),
)
