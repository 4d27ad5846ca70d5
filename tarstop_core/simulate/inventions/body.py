"""Inventions worn or used on the body: a hearing aid, a prosthetic foot, an inhaler, a climbing belay."""

from __future__ import annotations

from tarstop_core.simulate.inventions.model import Invention, feature, lines, mechanisms

HEARING_AID = Invention(
    topic="hearing-aid",
    title="Hearing aid with vented ear mould",
    claim=(
        "A hearing aid comprising an ear mould with a vent; a valve which opens and closes the vent by means of a "
        "shape memory actuator; a microphone in the ear canal which measures the sound pressure in front of the ear "
        "drum; and a signal processor which closes the valve when the user listens to music or is in noise and opens "
        "it when the user speaks, own speech being recognised with the microphone in the ear canal."
    ),
    devices=lines("""
        hearing aid
        hearing device
        in-the-ear hearing instrument
        ear mould
        hearing protector
        earpiece
        behind-the-ear device
    """),
    uses=lines("""
        for users with a mild hearing loss
        for children
        for musicians
        for noisy workplaces
        for telephone conversations
        for users with one deaf ear
        for elderly people with little finger strength
        for listening in churches and theatres
    """),
    purposes=lines("""
        make speech intelligible in noise
        keep the user's own voice sounding natural
        avoid whistling at high gain
        make the device small enough to be invisible
        fit the gain to the user without a visit to the clinic
        stop ear wax from blocking the outlet
    """),
    problems=lines("""
        a hollow sound of the user's own voice
        acoustic feedback
        moisture in the ear canal
        blocking of the outlet by ear wax
        wind noise at the microphone
        loss of low tones through an open fitting
        short life of the battery
    """),
    advantages=lines("""
        the user forgets that the device is worn
        speech is understood at {num} per cent lower signal level
        one fitting serves quiet and noisy places
        the device can be changed by the user in seconds
        fewer visits to the clinic are needed
        the gain before whistling rises by {num} dB
        the casing can be printed from a scan of the ear
    """),
    operations=lines("""
        sound is picked up, amplified in several bands and played into the ear canal
        the device is placed in the ear with a small pull cord
        the settings are read out over radio by the audiologist
        the device is put in a drying case overnight
        both devices exchange their settings so that they work alike
    """),
    extras=mechanisms("""
        wax guard | a wax guard that is changed with a stick
        directional microphone pair | a pair of microphones that favours sounds from the front
        telecoil | a telecoil for loop systems
        rechargeable cell | a rechargeable cell with charging contacts of {metal}
        wind screen | a wind screen of {polymer} foam
        feedback canceller | a filter that cancels feedback
        soft dome | a dome of {soft} in {few} sizes
        frequency compression | a circuit that moves high tones to lower ones
        radio link | a radio link between left and right device
        tap control | a tap sensor for changing the programme
        tinnitus noiser | a noise generator for tinnitus relief
        motion sensor | a motion sensor that reports falls
        bone conduction pad | a bone conduction pad on the temple
        programme memory | a memory for {few} listening programmes
    """),
    features=(
        feature(
            "a valve that opens and closes the vent",
            close="""
                shape memory vent valve | a valve which opens and closes the vent by a shape memory actuator
                valve in the vent | an ear mould with a vent that a valve with a shape memory actuator can close
            """,
            far="""
                heat-switched shutter | a shutter in the pressure relief bore which a nickel titanium wire moves
                bore shutter | a nickel titanium wire that slides a shutter across the relief bore
            """,
            other="""
                exchangeable vent plugs | exchangeable plugs that set the width of the vent
                fixed narrow vent | a fixed narrow vent along the ear mould
                collapsible vent tube | a collapsible vent tube that closes under finger pressure
                open dome | an open dome with large holes
                acoustic resistor | an acoustic resistor of sintered bronze in the vent
                inflatable seal | an inflatable seal that fills the ear canal
            """,
        ),
        feature(
            "a microphone in the ear canal",
            close="""
                ear canal microphone | a microphone in the ear canal which measures the sound pressure
                microphone at the ear drum | a microphone in the ear canal that listens in front of the ear drum
            """,
            far="""
                inward-facing transducer | an inward-facing transducer that picks up sound behind the sealed plug
                inner sound probe | an inner probe sensing what reaches the tympanum
            """,
            other="""
                outer microphone only | a single microphone on the outer face
                microphone in the concha | a microphone in the concha behind a mesh
                throat contact sensor | a contact sensor at the throat
                clip-on microphone | a clip-on microphone worn by the partner
                bone vibration sensor | a sensor for vibration of the jaw bone
                microphone boom | a microphone boom in front of the mouth
            """,
        ),
        feature(
            "control by recognised own speech",
            close="""
                own speech control | a signal processor which opens it when the user speaks
                own speech recognition | a signal processor that acts when own speech is recognised
            """,
            far="""
                wearer voice detection | a controller that reacts as soon as the wearer starts talking
                talk-activated switching | logic which switches over while the wearer is talking
            """,
            other="""
                scene classifier | a signal processor that tells traffic, music and restaurants apart
                user push-button | a push-button by which the user changes over
                level-dependent gain | a signal processor that lowers the gain of loud sounds
                location memory | a memory of places with the settings used there
                timer switching | a timer that changes the programme by the time of day
                partner remote control | a remote control in the hand of a companion
            """,
        ),
    ),
)

PROSTHETIC_FOOT = Invention(
    topic="prosthetic-foot",
    title="Prosthetic foot with adjustable ankle",
    claim=(
        "A prosthetic foot comprising a carbon fibre spring leaf forming the sole; an ankle joint with a hydraulic "
        "damper whose flow is adjusted by a valve; an inclination sensor which measures the slope of the ground when "
        "the foot is flat; and a controller which sets the valve of the hydraulic damper at each step so that the "
        "prosthetic foot adapts its ankle angle to the slope and to the heel height of the shoe."
    ),
    devices=lines("""
        prosthetic foot
        ankle prosthesis
        artificial foot
        foot and ankle unit
        lower limb prosthesis
        walking prosthesis
        orthopaedic foot module
    """),
    uses=lines("""
        for people with an amputation below the knee
        for hikers
        for runners
        for elderly users
        for children who are still growing
        for users who change between shoes
        for swimming and showering
        for users who work standing
    """),
    purposes=lines("""
        give a natural gait on slopes and stairs
        return energy at the push-off
        reduce pressure on the residual limb
        let the user change shoes without a technician
        keep balance on uneven ground
        lower the weight at the end of the leg
    """),
    problems=lines("""
        stumbling on ramps
        pressure sores on the residual limb
        early fatigue of the user
        creaking between foot and cover
        breaking of the leaf under heavy loads
        overloading of the knee on the sound side
        entry of water and sand
    """),
    advantages=lines("""
        the whole sole touches the ground after a fraction of a second
        the unit weighs less than {gram} g
        walking downhill becomes safer
        users walked {num} per cent further in a trial before they tired
        the stiffness can be matched to the weight of the user
        heel heights up to {mm} mm are possible
        the cosmetic cover lasts longer
    """),
    operations=lines("""
        the heel touches first, the sole rolls over and the toe pushes off
        the technician aligns the foot with a pyramid adapter
        the user shifts the weight forward and the heel lifts off
        the load passes from the heel to the toe during the stance
        the cover is pulled on with a shoe horn
    """),
    extras=mechanisms("""
        pyramid adapter | a pyramid adapter of titanium
        split toe | a split toe that follows uneven ground
        cosmetic cover | a cosmetic cover of {polymer} with toes
        heel wedge | a heel wedge in {few} degrees of hardness
        vacuum pump | a vacuum pump driven by walking that holds the socket
        torsion adapter | a torsion adapter that lets the leg turn
        shock absorber | a shock absorber in the pylon
        drain holes | drain holes for use in water
        charging coil | a charging coil in the calf
        step counter | a step counter with a radio link
        sandal toe | a sandal toe for open shoes
        stiffening insert | a stiffening insert for heavier users
        sock liner | a sock liner that prevents noise
        bumper | a bumper of {soft} behind the axle
    """),
    features=(
        feature(
            "a carbon fibre spring leaf as the sole",
            close="""
                carbon fibre spring leaf | a carbon fibre spring leaf forming the sole
                carbon spring sole | a sole formed by a carbon fibre spring leaf
            """,
            far="""
                composite blade | a blade of laminated composite from heel to toe that stores energy
                energy-storing blade | an energy-storing blade of reinforced epoxy underfoot
            """,
            other="""
                wooden keel | a wooden keel in a foam foot
                moulded keel | an injection-moulded keel of {polymer}
                coil springs | coil springs between two plates
                rubber foot block | a foot block of rubber with a fabric core
                metal arch | an arch of {metal} with a hinged toe
                air cushions | air cushions joined by a throttle
            """,
        ),
        feature(
            "a valve-controlled hydraulic ankle damper",
            close="""
                hydraulic ankle damper | an ankle joint with a hydraulic damper whose flow is adjusted by a valve
                valve-adjusted ankle damper | an ankle joint damped by a hydraulic damper with an adjustable valve
            """,
            far="""
                oil-filled ankle cylinder | a talus part braked by oil that is forced through a variable throttle
                variable oil throttle | an oil-filled cylinder with a variable throttle behind the shin
            """,
            other="""
                electric ankle drive | an electric drive with a ball screw at the ankle
                rubber ankle bush | an ankle axle in a rubber bush
                fixed ankle | an ankle without a joint
                ball-jointed ankle | a ball-jointed ankle with a clamping ring
                friction ankle | a friction brake at the ankle set with a key
                pneumatic ankle | a pneumatic cylinder at the ankle with a pump
            """,
        ),
        feature(
            "setting at each step from a measured slope",
            close="""
                slope inclination sensor | an inclination sensor which measures the slope of the ground
                inclination sensing controller | a controller which takes the slope from an inclination sensor
            """,
            far="""
                gradient detection | a gyroscope from which electronics derive the gradient underfoot
                terrain angle sensing | electronics with a gyroscope that learn the terrain angle in mid-stance
            """,
            other="""
                manual heel button | a button by which the user sets the height of the heel
                pressure sensing sole | a sole with pressure sensors that estimates the speed of walking
                muscle signal electrodes | electrodes that pick up muscle signals
                adjusting screw | an adjusting screw that the technician turns
                knee angle coupling | a rod that couples the ankle to the knee
                remote control setting | a remote control with settings for {few} activities
            """,
        ),
    ),
)

INHALER = Invention(
    topic="inhaler",
    title="Dry powder inhaler with dose feedback",
    claim=(
        "A dry powder inhaler comprising a blister strip wound on a spool and advanced by a lever; a swirl chamber "
        "in which the powder of an opened blister is broken up by the inhaled air; and a piezoelectric sensor on the "
        "wall of the swirl chamber which detects the impacts of powder particles, a circuit deriving from the impacts "
        "whether the dose was emptied and indicating it to the user of the inhaler."
    ),
    devices=lines("""
        dry powder inhaler
        inhalation device
        powder dispenser
        medicament inhaler
        breath-actuated inhaler
        aerosol delivery device
        dosing device
    """),
    uses=lines("""
        for asthma medicines
        for children and elderly patients
        for clinical trials
        for insulin
        for vaccines given by inhalation
        for emergency use
        for patients with weak breath
        for two medicines taken together
    """),
    purposes=lines("""
        bring a constant amount of powder into the deep lung
        show the patient that the dose was taken
        protect the powder from moisture
        make the device usable with one hand
        avoid double doses
        help the physician to see how the medicine is used
    """),
    problems=lines("""
        clumping of the powder
        double dosing by mistake
        loss of powder in the mouth
        moisture in opened doses
        exhaling into the device
        uncertainty whether a dose is left
        poor inhalation by frightened children
    """),
    advantages=lines("""
        the fine fraction exceeds {num} per cent at low flow
        the device can be held in any position
        sixty doses fit in a device the size of a palm
        the resistance to breath is low
        the device can be recycled after use
        missed doses are noticed early
        the mouthpiece can be rinsed
    """),
    operations=lines("""
        the patient opens the cover, loads a dose and inhales through the mouthpiece
        the powder is carried away by the stream of air and leaves as a fine cloud
        the device is closed after use and the next dose is counted
        the empty container is taken out and a new one put in
        the patient holds the breath for ten seconds
    """),
    extras=mechanisms("""
        dose counter | a dose counter with two rings
        mouthpiece cover | a mouthpiece cover that loads the device when opened
        desiccant | a desiccant in a chamber of {polymer}
        exhalation valve | a valve that blocks exhaling
        nose adapter | a nose adapter of {soft}
        dose reminder | a reminder that vibrates
        radio module | a radio module that reports to a telephone
        child-proof catch | a child-proof catch on the lid
        spacer | a spacer that slows the cloud
        flow indicator | a flow indicator with a small ball
        refill cassette | a refill cassette for {num} days
        airflow grid | a grid of {metal} behind the mouthpiece
        taste mask | a flavour pellet near the mouthpiece
        expiry indicator | an indicator for the date of expiry
    """),
    features=(
        feature(
            "a blister strip advanced by a lever",
            close="""
                lever-advanced blister strip | a blister strip wound on a spool and advanced by a lever
                blister strip on a spool | a blister strip on a spool which a lever advances by one blister
            """,
            far="""
                band of sealed pockets | a coiled band of sealed pockets moved on by a thumb catch
                pocketed tape | a pocketed tape drawn one step further at each stroke of a thumb catch
            """,
            other="""
                capsule with needles | a capsule that is pierced by needles
                bulk powder reservoir | a reservoir from which a slide measures the powder
                rotating dose disc | a disc with {num} doses under foil
                single-use pouch | a single-use pouch that is torn open
                pressed powder block | a pressed block from which a blade scrapes the dose
                syringe-like cartridge | a cartridge with a plunger
            """,
        ),
        feature(
            "a swirl chamber",
            close="""
                swirl chamber | a swirl chamber in which the powder is broken up by the inhaled air
                powder swirl chamber | a swirl chamber through which inhaled air takes the powder
            """,
            far="""
                cyclone de-agglomerator | a cyclone in which tangential jets separate clumps
                tangential vortex duct | a round duct with tangential inlets where clumps are torn apart
            """,
            other="""
                rotating bead | a bead that rattles in a cage of {polymer}
                straight mouthpiece channel | a straight channel with a narrow throat
                vibrating mesh | a vibrating mesh excited by a coil
                compressed air puff | a puff of compressed air from a hand pump
                impact baffle | a baffle plate across the stream
                spinning capsule cage | a cage in which the capsule spins
            """,
        ),
        feature(
            "a piezoelectric sensor for particle impacts",
            close="""
                piezoelectric impact sensor | a piezoelectric sensor which detects the impacts of powder particles
                piezoelectric dose sensor | a piezoelectric sensor that counts impacts of particles on the wall
            """,
            far="""
                collision-sensing crystal | a crystal that turns the patter of grains into a voltage
                grain patter detector | a ceramic pick-up by which the patter of passing grains is heard
            """,
            other="""
                light barrier | a light barrier across the mouthpiece
                flow sensor | a flow sensor that records the breath
                weighing of the device | a cradle that weighs the device after use
                pressure switch | a pressure switch closed by the breath
                lever contact | a contact that registers movement of the lever
                transparent window | a transparent window through which the empty container is seen
            """,
        ),
    ),
)

BELAY_DEVICE = Invention(
    topic="belay-device",
    title="Assisted-braking belay device",
    claim=(
        "A belay device for climbing, comprising two side plates turning about a common axle and enclosing a rope; "
        "a cam mounted eccentrically on the axle which pinches the rope against a friction block when the rope is "
        "pulled suddenly; and a lowering handle acting on the cam through a two-stage linkage, the linkage slipping "
        "when the handle is pulled beyond a set force so that a panicking user stops the descent and does not "
        "quicken it."
    ),
    devices=lines("""
        belay device
        rope brake
        descender
        climbing safety device
        rope clamp
        abseil device
        fall arrester
    """),
    uses=lines("""
        for climbing
        for climbing halls
        for work at height
        for tree surgeons
        for rescue teams
        for caving
        for training beginners
        for evacuating ski lifts
    """),
    purposes=lines("""
        stop a fall even when the user lets go of the rope
        lower a climber smoothly
        pay out rope quickly to a lead climber
        prevent wrong use by beginners
        protect the rope from heat
        take ropes of different diameter
    """),
    problems=lines("""
        dropping of a climber by an inattentive partner
        wrong threading of the rope
        twisting of the rope
        glazing of the rope sheath by heat
        jamming on icy ropes
        hard stops that strain the anchor
        fatigue of the hand on long descents
    """),
    advantages=lines("""
        a fall is held without strength of the hand
        ropes between {smalla} and {smallb} mm can be used
        the rope can be inserted without unclipping the device
        the descent stays smooth with light and heavy climbers
        the weight is below {big} g
        beginners learn its use within an hour
        wear can be seen through an opening
    """),
    operations=lines("""
        the rope is led in on one side, round the brake and out to the climber
        the device is clipped to the harness with a carabiner
        one hand stays on the braking rope while the other pays out
        the climber is lowered by opening the brake a little
        after a fall the device is freed by taking the load off the rope
    """),
    extras=mechanisms("""
        engraved rope path | an engraved picture that shows the path of the rope
        stainless wear insert | a wear insert of stainless steel
        carabiner keeper | a keeper of {polymer} for the carabiner
        child-safe gate | a gate that opens with two movements
        swivel eye | a swivel eye that prevents twisting
        cooling fins | cooling fins on the friction face
        second rope channel | a second channel for half ropes
        load indicator | a load indicator that shows a hard fall
        left-handed version | a reversible plate for left-handed users
        soft grip | a grip of {soft}
        anti-theft hole | a hole for a hire label
        pulley wheel | a pulley wheel with ball bearings
        adjustable side opening | an opening adjustable for {few} rope sizes
        sound signal | a clicking sound that tells the rope is locked
    """),
    features=(
        feature(
            "side plates turning about a common axle",
            close="""
                turning side plates | two side plates turning about a common axle and enclosing a rope
                side plates on common axle | side plates which turn about a common axle to let in a rope
            """,
            far="""
                swivelling cheeks | a pair of cheeks that swivel apart on one bolt for inserting the line
                clamshell casing | a casing of two cheeks hinged on one bolt like a clamshell
            """,
            other="""
                one-piece tube | a one-piece tube with {few} slots
                figure of eight | a figure of eight forged from {metal}
                screwed housing | a housing held together by screws
                slotted plate | a slotted plate with a wire loop
                sliding gate | a sliding gate in a fixed body
                row of bars | a row of bars on a U-shaped frame
            """,
        ),
        feature(
            "an eccentric cam against a friction block",
            close="""
                eccentric cam | a cam mounted eccentrically which pinches the rope against a friction block
                rope-pinching cam | an eccentrically mounted cam that pinches the rope on a friction block
            """,
            far="""
                off-centre rocker | an off-centre rocker that squeezes the line onto a brake shoe after a jerk
                tilting squeezer | a rocker, borne off its middle, that traps the line at a brake shoe
            """,
            other="""
                bending edge | a bending edge over which the rope is drawn by hand
                toothed ascender cam | a toothed wheel held by a ratchet
                centrifugal brake | a centrifugal brake with {few} shoes
                moving carabiner | a carabiner that slides into a narrowing slot
                spring-loaded jaws | spring-loaded jaws opened by the thumb
                capstan drum | a drum round which the rope is wound several turns
            """,
        ),
        feature(
            "a lowering handle whose linkage slips when over-pulled",
            close="""
                anti-panic linkage | a lowering handle with a two-stage linkage that slips beyond a set force
                two-stage lowering handle | a lowering handle whose linkage slips when pulled beyond a set force
            """,
            far="""
                overload-releasing lever | a lever that lets go of the brake again if anybody hauls on it in fright
                panic-proof lever | a lever disengaged by over-travel so that fright halts the climber
            """,
            other="""
                plain lowering handle | a lowering handle fixed to the cam
                thumb button | a thumb button that opens the brake
                removable lever | a lever that is inserted for lowering
                carabiner lever | a carabiner used as a lever in a hole of the body
                hand wheel | a hand wheel that releases the brake gradually
                pull cord release | a cord that tilts the body
            """,
        ),
    ),
)
