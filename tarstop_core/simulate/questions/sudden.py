"""Invented tests for invented diseases that come on quickly."""

from __future__ import annotations

from tarstop_core.simulate.questions.model import Question, split

BRINDLE_FEVER = Question(
    topic="brindle-fever",
    title="Halm urine strip for brindle fever",
    question="How accurate is the Halm urine strip for the diagnosis of brindle fever in people with fever?",
    criteria=(
        "studies in people with fever for three days or longer that compare the Halm strip with culture of blood "
        "or bone marrow and give, or allow, a 2×2 table."
    ),
    test=split("the Halm strip | the Halm urine strip | the urine Halm strip"),
    test_far=split("the dipstick for free halmin | the halmin immunostrip | the rapid antigen dipstick"),
    condition=split("brindle fever | acute brindle fever"),
    condition_far=split("infection with Brindlea | systemic brindleosis"),
    positive="a colour change of grade 2 or more",
    reference="culture of blood or bone marrow",
    wrong_references=split(
        "the physician's judgement at discharge | the response to treatment | a second strip on the next day"
    ),
    patients=split(
        "adults with fever for three days or longer | febrile patients of any age | "
        "farm workers with undulating fever | children with prolonged fever | travellers with fever"
    ),
    wrong_patients=split("healthy blood donors | patients already under treatment | cultured isolates"),
    places=split(
        "a district hospital | four rural clinics | a university hospital | two mission hospitals | "
        "an infectious diseases ward"
    ),
    rivals=split(
        "the brindlin titre | thin-film microscopy | a nested gene assay for Brindlea | the slide agglutination test"
    ),
    lookalikes=split("ochre fever | reed-cutters' disease | tick relapsing fever of the marshes"),
    treatments=split("oral dorvamycin | ten days of lenacillin | a short course of two drugs"),
    facts=split(
        "Brindle fever is carried by ticks of grazing sheep. | Half of all patients have no history of a tick bite. | "
        "Untreated, the disease relapses for months. | Early signs resemble those of many other fevers. | "
        "Culture takes up to nine days. | Outbreaks follow the lambing season."
    ),
    technical=split(
        "the shelf life of the strips | the colour scale | the stability of halmin in stored urine | "
        "the variation between lots"
    ),
)

VELT_PALSY = Question(
    topic="velt-palsy",
    title="Tap-timing test for early velt palsy",
    question="How accurate is the tap-timing test for early velt palsy in adults with a clumsy hand?",
    criteria=(
        "studies in adults with a newly clumsy hand that compare the tap-timing test with nerve conduction studies "
        "and give, or allow, a 2×2 table."
    ),
    test=split("the tap-timing test | the tap-timing test of the hand | the timed tap test"),
    test_far=split("the finger rhythm recorder | the smartphone tapping task | the motor interval score"),
    condition=split("velt palsy | early velt palsy"),
    condition_far=split("distal velt neuropathy | Veltmann's weakness of the hand"),
    positive="an interval variation above 12 per cent",
    reference="a nerve conduction study of both arms",
    wrong_references=split(
        "a neurologist's bedside impression | the patient's own rating a year later | a repeat of the tapping task"
    ),
    patients=split(
        "adults with a newly clumsy hand | patients referred for hand weakness | "
        "musicians with loss of dexterity | older adults who drop things | office workers with hand weakness"
    ),
    wrong_patients=split(
        "healthy students | patients after surgery for velt palsy | infants with birth palsy"
    ),
    places=split(
        "a nerve clinic | two general practices | a regional hospital | an outpatient department of neurology | "
        "a rehabilitation hospital"
    ),
    rivals=split(
        "grip dynamometry | high-resolution ultrasound of the velt nerve | the nine-bead test | skin wrinkle grading"
    ),
    lookalikes=split("writer's tremor | cervical root disease | ulnar groove syndrome"),
    treatments=split(
        "night splints | local injection of halcortone | early release of the velt canal | hand therapy"
    ),
    facts=split(
        "Velt palsy begins with a loss of rhythm of the fingers. | The velt nerve is trapped at the wrist crease. | "
        "Treatment within three months restores the hand. | Conduction studies are unpleasant and often delayed. | "
        "Symptoms come and go in the first weeks. | Both hands are affected in one patient out of five."
    ),
    technical=split(
        "the sampling rate of the recorder | the effect of practice | the agreement between two devices | "
        "the influence of handedness"
    ),
)

TESSEL_ULCER = Question(
    topic="tessel-ulcer",
    title="Tesselin stool test for tessel ulcer",
    question="How accurate is the tesselin stool test for tessel ulcer in people with pain in the upper abdomen?",
    criteria=(
        "studies in people with pain in the upper abdomen that compare the tesselin stool test with gastroscopy "
        "and give, or allow, a 2×2 table."
    ),
    test=split("the tesselin stool test | the stool test for tesselin | the tesselin test"),
    test_far=split(
        "the faecal mosaic antigen assay | the stool immunoassay | the home collection antigen kit"
    ),
    condition=split("tessel ulcer | active tessel ulcer"),
    condition_far=split("mosaic ulceration of the antrum | tesselated gastric erosion"),
    positive="a concentration above 25 units per gram",
    reference="gastroscopy with a biopsy of the ulcer rim",
    wrong_references=split(
        "relief of pain under acid blockers | a barium meal | a diagnosis taken from insurance records"
    ),
    patients=split(
        "adults with pain in the upper abdomen | patients referred for gastroscopy | "
        "people with indigestion for four weeks | patients under sixty with dyspepsia | older adults with dyspepsia"
    ),
    wrong_patients=split(
        "relatives without symptoms | patients after removal of the stomach | stored samples"
    ),
    places=split(
        "an endoscopy unit | three general practices | a gastroenterology clinic | a teaching hospital | "
        "an open-access endoscopy service"
    ),
    rivals=split(
        "the tessel breath test | serology for antral antibodies | capsule photography of the stomach | "
        "a symptom questionnaire"
    ),
    lookalikes=split("pill oesophagitis | ring stricture of the duodenum | bile reflux disease"),
    treatments=split("double-dose pravizole | a two-week triple course | stopping of pain killers"),
    facts=split(
        "Tessel ulcer recurs in a third of patients. | Gastroscopy is the only certain way to see the ulcer. | "
        "The mosaic pattern of the antrum gives the disease its name. | Bleeding is the first sign in some patients. | "
        "Most people with upper abdominal pain have no ulcer. | Waiting lists for gastroscopy are long."
    ),
    technical=split(
        "the stability of tesselin at room temperature | the extraction buffer | the variation between laboratories | "
        "the number of stool samples needed"
    ),
)

SARN_ALLERGY = Question(
    topic="sarn-allergy",
    title="Sarn patch for sarn allergy",
    question="How accurate is the 24-hour sarn patch for sarn allergy in people with reactions after meals?",
    criteria=(
        "studies in people with reactions after meals that compare the 24-hour sarn patch with a supervised oral "
        "challenge and give, or allow, a 2×2 table."
    ),
    test=split("the sarn patch | the 24-hour sarn patch | the sarn patch test"),
    test_far=split(
        "the epicutaneous seed extract test | the occlusive contact test | the day-long skin chamber"
    ),
    condition=split("sarn allergy | allergy to sarn"),
    condition_far=split("hypersensitivity to sarn seed protein | sarn-induced reactions"),
    positive="a wheal with raised borders",
    reference="a supervised oral challenge with sarn flour",
    wrong_references=split(
        "a history of reactions taken by telephone | antibodies in serum | avoidance of sarn for a month"
    ),
    patients=split(
        "adults with reactions after meals | children with hives after meals | teenagers with reactions after meals | "
        "bakers with itching after meals | people with unexplained flushing"
    ),
    wrong_patients=split(
        "volunteers without symptoms | patients on antihistamines throughout | twins of patients"
    ),
    places=split(
        "an allergy clinic | a university hospital | two dermatology practices | a day hospital for food challenges | "
        "a regional allergy service"
    ),
    rivals=split(
        "a prick test with fresh seed | antibodies against sarn protein | the basophil flow assay | "
        "a diary of meals and symptoms"
    ),
    lookalikes=split("contact eczema of bakers | cold hives | intolerance of millet"),
    treatments=split("oral desensitisation | a diet without sarn | injections of omavirex"),
    facts=split(
        "Sarn flour is hidden in many baked goods. | Reactions occur up to six hours after a meal. | "
        "Oral challenges need a day in hospital. | Few patients outgrow the allergy. | "
        "Avoiding sarn without need makes meals difficult. | Severe reactions are rare but feared."
    ),
    technical=split(
        "the dose of extract in the chamber | the time of reading | the reading by photograph | "
        "the effect of sunlight on the skin reaction"
    ),
)

HOLLOW_HIP = Question(
    topic="hollow-hip",
    title="Cradle ultrasound for hollow hip in infants",
    question="How accurate is cradle ultrasound for hollow hip in infants with an uneven skin fold?",
    criteria=(
        "studies in infants with an uneven skin fold or a hip click that compare cradle ultrasound with magnetic "
        "resonance imaging and give, or allow, a 2×2 table."
    ),
    test=split("cradle ultrasound | the cradle ultrasound scan | the cradle ultrasound method"),
    test_far=split("sling sonography | the suspended lateral sonogram | the handheld acoustic hip check"),
    condition=split("hollow hip | early hollow hip"),
    condition_far=split("acetabular cavitation | concave dysplasia of the infant pelvis"),
    positive="a roof angle below 52 degrees",
    reference="magnetic resonance imaging at three months",
    wrong_references=split(
        "examination by the same operator | walking age as told by parents | an X-ray at three years"
    ),
    patients=split(
        "infants with an uneven skin fold | newborns with a hip click | infants born in breech position | "
        "infants of a screening programme | babies referred by midwives"
    ),
    wrong_patients=split(
        "children of school age | infants after hip surgery | stillborn infants of an anatomy series"
    ),
    places=split(
        "a children's hospital | two maternity units | a community screening service | an orthopaedic clinic | "
        "a midwife-led centre"
    ),
    rivals=split(
        "clinical examination for a click | a plain X-ray of the pelvis | a vibration test of the hip | "
        "a symmetry score of skin folds"
    ),
    lookalikes=split("transient synovitis | drifting kneecap | twisted forefoot"),
    treatments=split("a soft harness | wide nappies | early casting"),
    facts=split(
        "Hollow hip leads to a limp when it is missed. | Girls are affected more often than boys. | "
        "Magnetic resonance imaging of infants needs sedation. | A harness works best before four months. | "
        "Skin folds are uneven in many healthy infants. | Screening differs between regions."
    ),
    technical=split(
        "the agreement between operators | the learning curve of midwives | the angle of the probe | "
        "the quality of stored images"
    ),
)
