"""Inventions for the house: a coffee machine, a window blind, a door lock, a water filter jug."""

from __future__ import annotations

from tarstop_core.simulate.inventions.model import Invention, feature, lines, mechanisms

COFFEE_MACHINE = Invention(
    topic="coffee-machine",
    title="Coffee machine with variable brewing chamber",
    claim=(
        "A coffee machine comprising a brewing chamber whose volume is varied by a motor-driven piston; "
        "a load cell which weighs the ground coffee in the brewing chamber; and a control unit which sets the stroke "
        "of the piston according to the weight signal of the load cell and interrupts the flow of water for a "
        "pre-infusion pause, so that small and large amounts of ground coffee are brewed at equal compression."
    ),
    devices=lines("""
        coffee machine
        espresso maker
        brewing unit
        beverage preparation apparatus
        automatic coffee maker
        brewing group
        hot drinks dispenser
    """),
    uses=lines("""
        for household use
        for offices and waiting rooms
        for coffee bars
        for capsules and loose powder alike
        for trains and aircraft
        for vending machines
        for brewing both coffee and tea
        for hotel rooms
    """),
    purposes=lines("""
        brew cups of different size with even strength
        use the whole flavour of freshly ground beans
        shorten the time between two cups
        keep the brewing temperature steady
        make cleaning easy
        save energy between cups
    """),
    problems=lines("""
        bitter taste from over-extraction
        watery coffee from half-filled chambers
        lime deposits in the boiler
        dripping after the cup is removed
        stale grounds left in the brewing unit
        noise of the pump
        loss of heat in the pipes
    """),
    advantages=lines("""
        the taste does not depend on the size of the cup
        the user can take out the brewing unit and rinse it
        the first cup is ready in under {num} seconds
        the same machine serves two kinds of bean
        less coffee is wasted
        the pump can be smaller and quieter
        the crema stays firm
    """),
    operations=lines("""
        beans are ground, the powder falls into the brewing unit and hot water is pumped through it
        the spent grounds are pushed out into a drawer
        the user chooses the strength and the size of the cup on a dial
        water is heated in a flow heater and led upwards through the powder
        the unit is rinsed with hot water when the machine is switched on
    """),
    extras=mechanisms("""
        conical grinder | a conical grinder with burrs of hardened steel
        milk frother | a milk frother with an air inlet valve
        heat exchanger | a heat exchanger that warms the incoming water
        descaling programme | a descaling programme with a cartridge of citric acid
        cup warmer | a cup warmer heated by waste heat
        removable water tank | a removable water tank of {polymer}
        grounds drawer | a drawer for spent grounds with a level switch
        capsule holder | a capsule holder with {few} piercing needles
        flow meter | a flow meter with a small turbine
        steam wand | a steam wand with a ball joint
        drip tray float | a drip tray with a float that shows when it is full
        thermoblock | a thermoblock of cast aluminium
        check valve | a check valve of {soft} behind the pump
        touch display | a touch display that stores the settings of several users
    """),
    features=(
        feature(
            "a brewing chamber of variable volume",
            close="""
                variable brewing chamber | a brewing chamber whose volume is varied by a motor-driven piston
                motor-driven brewing piston | a brewing chamber with a motor-driven piston that varies its volume
            """,
            far="""
                adjustable extraction cell | an extraction cell closed by a plunger that an electric spindle can shift
                movable plunger cell | an infusion cell made larger or smaller by an electrically shifted plunger
            """,
            other="""
                exchangeable sieve inserts | exchangeable sieve inserts for one cup and for two
                spring-backed sieve | a sieve pressed onto the powder by a spring
                fixed brewing chamber | a brewing chamber of fixed volume closed by a toggle lever
                rotating drum chamber | a drum with chambers of different size
                manual lever piston | a piston pulled down by a hand lever
                flexible brewing bag | a flexible bag of filter fleece that takes any amount of powder
            """,
        ),
        feature(
            "weighing of the ground coffee in the chamber",
            close="""
                load cell for ground coffee | a load cell which weighs the ground coffee in the brewing chamber
                weighing load cell | a load cell that weighs the ground coffee where it is brewed
            """,
            far="""
                in-place powder scale | a strain gauge scale that senses how heavy the powder bed is
                mass-sensing support | a bending beam below the powder bed that senses its mass
            """,
            other="""
                grinding time control | a timer that sets the dose by the time of grinding
                bean counter | an optical counter for falling beans
                volumetric doser | a volumetric doser with a turning vane
                scale under the cup | a scale under the cup that stops the pump
                level sensor | an infrared sensor for the level of powder
                motor current sensing | a circuit that guesses the dose from the current of the grinder
            """,
        ),
        feature(
            "a controlled pause for pre-infusion",
            close="""
                pre-infusion pause | a control unit which interrupts the flow of water for a pre-infusion pause
                pre-infusion control | a control unit that opens the pump circuit for a pre-infusion pause
            """,
            far="""
                wetting interval | electronics that moisten the bed first, wait, and only then apply full pressure
                soaking interval | a program that soaks the bed and rests for some seconds before pumping on
            """,
            other="""
                constant pressure pump | a pump that holds the pressure constant from start to end
                falling pressure profile | a control unit that lets the pressure fall towards the end
                pulsating pump | a pump that pulsates throughout the extraction
                bypass valve | a bypass valve that adds water to the finished drink
                temperature ramp | a control unit that raises the temperature during the extraction
                crema valve | a sprung crema valve behind the sieve
            """,
        ),
    ),
)

WINDOW_BLIND = Invention(
    topic="window-blind",
    title="Cordless solar window blind",
    claim=(
        "A cordless window blind comprising a head rail with a tubular motor; a photovoltaic film laminated to the "
        "outward side of the slats or of the fabric and charging a battery in the head rail; and a bottom rail with "
        "an acceleration sensor, wherein the motor is started when the sensor detects that the bottom rail has been "
        "pulled by hand and the blind then moves in the direction of the pull."
    ),
    devices=lines("""
        window blind
        roller shade
        Venetian blind
        motorised shade
        sun protection device
        pleated blind
        shading system
    """),
    uses=lines("""
        for roof windows
        for office buildings
        for nurseries and children's rooms
        for caravans and boats
        for hospital wards
        for glass doors
        for double windows
        for retrofitting in rented flats
    """),
    purposes=lines("""
        shade a room without cords in which a child could be caught
        darken a bedroom completely
        use daylight without glare
        save energy for cooling
        move a blind without any wiring to the mains
        give privacy from neighbouring houses
    """),
    problems=lines("""
        strangling of small children by hanging cords
        glare on computer screens
        uneven winding of the fabric
        rattling in the wind
        opening of walls for cables
        fading of the fabric
        flat batteries in winter
    """),
    advantages=lines("""
        the blind can be fitted with two clips and without drilling
        no remote control is needed that could be lost
        the fabric hangs straight at any height
        the room stays several degrees cooler in summer
        all blinds of a front move together
        the slats can be wiped clean
        the blind runs for {num} months without service
    """),
    operations=lines("""
        the blind is lowered in the morning on the sunny side and raised at dusk
        the fabric is wound on a tube in the head rail
        the slats are first lowered and then tilted
        the blind stops by itself just above the sill
        side guides keep the fabric close to the pane
    """),
    extras=mechanisms("""
        guide wires | guide wires of {metal} at both sides
        blackout coating | a blackout coating of {polymer} on the fabric
        tilt mechanism | a tilt mechanism with ladder tapes
        light sensor | a light sensor on the window pane
        end stop magnets | end stop magnets in the side guides
        radio receiver | a radio receiver for a building control system
        snap-on brackets | snap-on brackets that grip the window frame
        timer clock | a timer clock that follows sunrise and sunset
        honeycomb fabric | a honeycomb fabric of {few} layers
        insect net | an insect net on a second roller
        scissor link | scissor links that keep the slats parallel
        heat-reflecting layer | a heat-reflecting layer of vapour-deposited aluminium
        silent bearing | a silent bearing of {polymer} for the tube
        obstacle detection | an obstacle detection that stops the movement
    """),
    features=(
        feature(
            "a motor in the head rail",
            close="""
                tubular motor head rail | a head rail with a tubular motor
                head rail motor | a tubular motor mounted in the head rail
            """,
            far="""
                drive inside the winding tube | a slim electric drive hidden inside the winding tube at the top
                built-in upper drive | an upper housing with a built-in electric drive
            """,
            other="""
                spring roller | a spring roller with a centrifugal brake
                crank handle | a crank handle with a universal joint
                constant force springs | constant force springs that balance the weight
                bead chain | a bead chain in a tensioned guide
                external motor unit | a motor unit that sits on the sill and pulls the chain
                friction guides | friction guides in which the blind stays wherever it is put
            """,
        ),
        feature(
            "a photovoltaic film on the blind itself",
            close="""
                photovoltaic film on slats | a photovoltaic film laminated to the outward side of the slats
                photovoltaic fabric | a photovoltaic film laminated to the outward side of the fabric
            """,
            far="""
                solar-active outer face | an outer face covered with thin solar cells that feed an accumulator
                energy-harvesting lamellae | lamellae whose sunny face bears thin-layer solar cells
            """,
            other="""
                solar panel on the frame | a rigid solar panel stuck to the window frame
                mains transformer | a mains transformer in the lintel
                exchangeable batteries | exchangeable dry batteries in a wand
                solar panel on the pane | a solar panel on a suction pad on the pane
                charging socket | a socket for charging with a cable twice a year
                low-voltage bus | a low-voltage bus shared by all windows
            """,
        ),
        feature(
            "starting the motor by a pull on the bottom rail",
            close="""
                pull-sensing bottom rail | a bottom rail with an acceleration sensor that detects a pull by hand
                acceleration sensor in bottom rail | an acceleration sensor in the bottom rail that starts the motor
            """,
            far="""
                tug-sensitive hem bar | a hem bar whose motion detector notices a tug and wakes the drive
                tug detection | a motion detector in the lower edge by which a light tug sets the drive going
            """,
            other="""
                hand-held remote control | a hand-held remote control with {few} buttons
                wall switch | a wall switch with a battery of its own
                voice control | a voice control with a microphone
                touch pad on the sill | a touch pad on the sill
                automatic sun control | an automatic control that follows the sun and has no hand operation
                phone application | an application for a mobile phone
            """,
        ),
    ),
)

DOOR_LOCK = Invention(
    topic="door-lock",
    title="Energy-harvesting electronic door lock",
    claim=(
        "An electronic door lock comprising a rotatable door handle coupled by a gear train to a generator which "
        "produces the electric energy of the lock when the handle is turned; a reader for a credential carried by the "
        "user; and a clutch with a latching solenoid which joins the handle to the bolt only after the reader has "
        "accepted the credential, the lock containing no battery and no connection to the mains."
    ),
    devices=lines("""
        electronic door lock
        door fitting
        lock cylinder
        access control device
        mortise lock
        handle set
        locking apparatus
    """),
    uses=lines("""
        for hotel rooms
        for fire doors
        for lockers in swimming baths
        for garden gates
        for rented holiday flats
        for server cabinets
        for care homes
        for shared offices
    """),
    purposes=lines("""
        admit authorised persons without mechanical keys
        avoid service visits for empty batteries
        change access rights from a distance
        keep the escape way open at all times
        record who entered and when
        fit existing doors without new drilling
    """),
    problems=lines("""
        locking out of users by empty batteries
        copying of lost keys
        forcing of the handle with a long lever
        freezing of outdoor locks
        running of cables through fire doors
        wear of the clutch
        delay before the door opens
    """),
    advantages=lines("""
        the door can be opened from inside at any time
        the lock needs no service for ten years
        a lost credential can be cancelled in seconds
        the fitting looks like an ordinary handle
        no force applied outside reaches the bolt
        the fitting suits left-hand and right-hand doors
        the parts fit in a rosette of {mm} mm
    """),
    operations=lines("""
        the user presses the handle and holds the credential near the rosette
        the outside handle turns freely until access has been granted
        the bolt springs out by itself when the door falls shut
        access rights are written to the credential at the reception desk
        the inside handle always draws the bolt
    """),
    extras=mechanisms("""
        hardened cover plate | a hardened cover plate of manganese steel
        emergency key | an emergency key hidden under a cap
        privacy button | a privacy button with a coloured signal
        door position sensor | a door position sensor with a magnet
        event memory | an event memory for the last {big} openings
        keypad | a keypad with twelve backlit keys
        anti-panic function | an anti-panic function that draws latch and bolt together
        spring-loaded latch | a latch that can be turned for either hand
        weather seal | a weather seal of {soft}
        drill protection | drill protection with pins of hard metal
        signal lamp | a signal lamp in red and green
        time profile | a time profile for cleaning staff
        bolt position switch | a switch that reports the position of the bolt
        square spindle adapter | an adapter for spindles of different size
    """),
    features=(
        feature(
            "a generator driven by the handle",
            close="""
                handle-driven generator | a door handle coupled by a gear train to a generator
                generator geared to handle | a generator which a gear train turns when the door handle is moved
            """,
            far="""
                dynamo on the lever | a small dynamo that the lever spins through toothed wheels
                self-powered lever | a lever whose swing is stepped up by toothed wheels to spin a dynamo
            """,
            other="""
                battery compartment | a compartment for {few} batteries in the inner rosette
                wired supply | a cable through the frame that brings direct current
                solar cell rosette | a solar cell in the outer rosette with a storage capacitor
                inductive supply | an inductive supply across the gap of the door
                phone-powered lock | a coil that takes its power from a mobile phone
                rechargeable pack | a rechargeable pack that slides into the edge of the door
            """,
        ),
        feature(
            "a reader for a carried credential",
            close="""
                credential reader | a reader for a credential carried by the user
                reader for user credential | a reader which checks a credential carried in the pocket
            """,
            far="""
                transponder interrogation | a coil that interrogates a transponder tag on a key ring
                tag recognition | an aerial which recognises a tag on a wristband
            """,
            other="""
                code keypad | a keypad for entering a code of {few} digits
                fingerprint sensor | a fingerprint sensor in the handle
                face camera | a camera that compares the face of the visitor
                network command | a network interface by which the porter releases the door
                coded knock | a vibration sensor that recognises a coded knock
                mechanical key | a mechanical key with a dimpled blade
            """,
        ),
        feature(
            "a clutch with a latching solenoid",
            close="""
                latching solenoid clutch | a clutch with a latching solenoid which joins the handle to the bolt
                clutch with latching solenoid | a clutch that a latching solenoid closes between handle and bolt
            """,
            far="""
                bistable magnetic coupling | a coupling engaged by a bistable electromagnet that needs only a pulse
                pulse-switched coupling | a coupling pin thrown by a pulse through a coil and held by a permanent magnet
            """,
            other="""
                motor-driven bolt | a motor that drives the bolt directly
                blocking slider | a slider that blocks the rotation of the spindle
                electric strike | an electric strike in the door frame
                holding magnet | a holding magnet at the top of the door
                clutch with micro motor | a clutch moved by a micro motor and a worm
                shear pin coupling | a coupling with a shear pin that breaks under force
            """,
        ),
    ),
)

WATER_FILTER = Invention(
    topic="water-filter",
    title="Filter jug with cartridge monitoring",
    claim=(
        "A water filter jug comprising a funnel in which a filter cartridge is seated; a conductivity sensor "
        "arranged below the filter cartridge which compares filtered water with unfiltered water in the funnel; a lid "
        "with a display that shows the remaining life of the cartridge from the comparison; and a valve in the funnel "
        "which closes the outlet when the cartridge is spent, so that unfiltered water cannot enter the jug."
    ),
    devices=lines("""
        water filter jug
        filter pitcher
        drinking water purifier
        gravity filter
        filter cartridge
        water treatment vessel
        portable water filter
    """),
    uses=lines("""
        for households
        for camping and expeditions
        for regions with hard water
        for refrigerators
        for aquariums
        for relief work after floods
        for kettles and coffee makers
        for pet fountains
    """),
    purposes=lines("""
        remove lime, chlorine and lead from tap water
        tell the user in time when a cartridge must be changed
        give safe water where there is no mains supply
        improve the taste of tea
        avoid bottled water
        filter quickly without a pump
    """),
    problems=lines("""
        growth of germs in a forgotten cartridge
        water running past the seal
        early change of good cartridges
        slow flow caused by trapped air
        carbon dust in the first filling
        tipping over of a full vessel
        bitter taste of chlorine
    """),
    advantages=lines("""
        a litre is filtered in less than {num} minutes
        the cartridge is used up fully before it is changed
        all parts may be washed in a dishwasher
        the vessel fits in the door of a refrigerator
        minerals that matter for health remain in the water
        the user need not count fillings
        the cartridge can be refilled and need not be thrown away
    """),
    operations=lines("""
        tap water is poured into the upper part and runs by gravity through the filter
        the first two fillings are poured away
        the vessel is filled under the tap with the lid closed
        water is poured from a spout with a flap
        the used cartridge is lifted out by its handle
    """),
    extras=mechanisms("""
        activated carbon bed | a bed of activated carbon from coconut shell
        ion exchange resin | an ion exchange resin that takes up lime and lead
        hollow fibre bundle | a bundle of hollow fibres of {polymer}
        ultraviolet lamp | an ultraviolet lamp in the lower vessel
        hinged pouring flap | a hinged flap over the spout
        silver coating | a silver coating against germs
        air release groove | an air release groove along the wall
        sediment screen | a sediment screen of {metal} mesh
        carrying strap | a carrying strap with a buckle
        mineral granulate | a granulate that adds magnesium
        folding vessel | a folding vessel of {polymer}
        hand pump | a hand pump that puts the upper part under pressure
        ceramic candle | a ceramic candle that can be brushed clean
        fruit infuser | an infuser for slices of fruit
    """),
    features=(
        feature(
            "conductivity compared before and after the cartridge",
            close="""
                comparing conductivity sensor | a conductivity sensor which compares filtered water with unfiltered water
                differential conductivity sensor | a conductivity sensor below the cartridge comparing both sides of it
            """,
            far="""
                twin electrode measurement | pairs of electrodes upstream and downstream whose readings are set in ratio
                ion content ratio | electrodes that measure how many ions come out for those that went in
            """,
            other="""
                filling counter | a counter that registers each opening of the lid
                date dial | a dial on which the date of the next change is set
                time indicator strip | a strip that changes colour after {few} weeks
                flow turbine | a small turbine that adds up the litres
                colour test paper | a test paper for the hardness of the water
                single electrode probe | a probe in the lower vessel with a fixed limit
            """,
        ),
        feature(
            "a display of the remaining life in the lid",
            close="""
                lid display | a lid with a display that shows the remaining life of the cartridge
                remaining life display | a lid whose display shows the remaining life as bars
            """,
            far="""
                cover with condition readout | a cover whose readout tells how much longer the insert will serve
                endurance readout | a readout on top of the cover with the days left for the insert
            """,
            other="""
                warning lamp | a warning lamp in the handle
                acoustic signal | an acoustic signal when the vessel is lifted
                app message | a message sent to a mobile phone
                mechanical pointer | a mechanical pointer on the rim
                printed calendar | a printed calendar on the cartridge
                dyed end-piece | an end-piece that dissolves when the cartridge is used up
            """,
        ),
        feature(
            "a valve that closes when the cartridge is spent",
            close="""
                end-of-life valve | a valve in the funnel which closes the outlet when the cartridge is spent
                closing valve in funnel | a valve which closes the outlet of the funnel once the cartridge is spent
            """,
            far="""
                automatic shut-off | a stopper that drops into the drain and blocks it after exhaustion of the insert
                blocking stopper | a shutter by which further pouring is blocked once the insert is exhausted
            """,
            other="""
                float valve | a float valve that stops filling when the vessel is full
                bayonet seal | a bayonet seal between cartridge and vessel
                bypass opening | a bypass opening for washing-up water
                non-return flap | a non-return flap in the spout
                overflow edge | an overflow edge that leads surplus water back to the sink
                pressure relief valve | a pressure relief valve in the lid
            """,
        ),
    ),
)
