"""Invented tests for invented diseases that last."""

from __future__ import annotations

from tarstop_core.simulate.questions.model import Question, split

CORROW_ANAEMIA = Question(
    topic="corrow-anaemia",
    title="Lip colour card for corrow anaemia",
    question="How accurate is the lip colour card for corrow anaemia in pregnant women?",
    criteria=(
        "studies in pregnant women that compare the lip colour card with an iron stain of bone marrow and give, or "
        "allow, a 2×2 table."
    ),
    test=split("the lip colour card | the lip colour card of six shades | the colour card for the lips"),
    test_far=split("the mucosal pallor chart | the six-shade comparator | the printed pallor scale"),
    condition=split("corrow anaemia | corrow anaemia in pregnancy"),
    condition_far=split("iron-lock anaemia | Corrow's disease of the marrow"),
    positive="one of the three palest shades",
    reference="an iron stain of bone marrow",
    wrong_references=split(
        "haemoglobin alone | the number of tiredness complaints | a second reading of the card"
    ),
    patients=split(
        "pregnant women at their first visit | pregnant women with tiredness | women in the last three months of pregnancy | "
        "pregnant women of highland villages | pregnant adolescents"
    ),
    wrong_patients=split("men who donate blood | school children | women a year after delivery"),
    places=split(
        "an antenatal clinic | six village health posts | a maternity hospital | two mobile clinics | "
        "a highland health centre"
    ),
    rivals=split(
        "the corrow index of red cells | serum ferrolin | palm crease inspection | a portable haemoglobin meter"
    ),
    lookalikes=split("sickle trait | thin-cell anaemia | anaemia of chronic infection"),
    treatments=split("weekly iron by vein | fortified flour | folates with copper"),
    facts=split(
        "Corrow anaemia locks iron away in the marrow. | Iron tablets do not help, and may harm. | "
        "Health posts have no laboratory. | Lip colour is judged by eye in most villages. | "
        "Severe anaemia endangers mother and child. | A marrow stain is seldom at hand."
    ),
    technical=split(
        "the fading of printed shades | the effect of lamp light | the agreement between two readers | "
        "the number of shades"
    ),
)

LANTERN_RETINOPATHY = Question(
    topic="lantern-retinopathy",
    title="Pocket fundus camera for lantern retinopathy",
    question="How accurate is the pocket fundus camera for lantern retinopathy in people who work under bright lamps?",
    criteria=(
        "studies in people who work, or worked, under bright lamps that compare the pocket fundus camera with "
        "slit-lamp examination by an ophthalmologist and give, or allow, a 2×2 table."
    ),
    test=split("the pocket fundus camera | the pocket camera for the fundus | the fundus pocket camera"),
    test_far=split(
        "the handheld retinal imager | the phone-mounted ophthalmic lens | nurse-operated retinal photography"
    ),
    condition=split("lantern retinopathy | early lantern retinopathy"),
    condition_far=split("lamp-induced macular spotting | Laterna's disease of the retina"),
    positive="two or more pale spots in the macula",
    reference="slit-lamp examination by an ophthalmologist",
    wrong_references=split(
        "reading of the same picture by a second nurse | self-reported loss of sight | a visit to an optician within two years"
    ),
    patients=split(
        "glass workers | stage technicians with glare | night-shift surgeons | welders and their helpers | "
        "people who worked under bright lamps for ten years"
    ),
    wrong_patients=split(
        "drivers without exposure to lamps | patients after cataract surgery | laboratory mice"
    ),
    places=split(
        "an eye hospital | a clinic for working people | a mobile eye clinic | a regional hospital | "
        "an occupational health centre"
    ),
    rivals=split(
        "a grid chart of the visual field | optical sectioning of the retina | a glare recovery timer | "
        "a colour plate test"
    ),
    lookalikes=split("dry macular wear | sugar retinopathy | snow blindness"),
    treatments=split("tinted glasses | tablets of lutarin | rest from lamp light"),
    facts=split(
        "Lantern retinopathy starts without symptoms. | Pale spots in the macula are its first sign. | "
        "Ophthalmologists are few where glass is made. | Protective glasses stop the disease early on. | "
        "Glare is the commonest complaint. | Regular checks are the law in some regions."
    ),
    technical=split(
        "the share of pictures that cannot be graded | the size of the pupil needed | the agreement between graders | "
        "the compression of stored pictures"
    ),
)

MARL_LUNG = Question(
    topic="marl-lung",
    title="Octarin breath test for marl lung",
    question="How accurate is the octarin breath test for marl lung disease in quarry workers?",
    criteria=(
        "studies in people who work, or worked, in quarries that compare the octarin breath test with computed "
        "tomography read by two radiologists and give, or allow, a 2×2 table."
    ),
    test=split("the octarin breath test | the breath test for octarin | the octarin test"),
    test_far=split("the exhaled vapour assay | volatile marker analysis | the breath condensate sensor"),
    condition=split("marl lung disease | marl lung"),
    condition_far=split("chalk-dust fibrosis | quarrymen's induration"),
    positive="a concentration above 40 parts per billion",
    reference="computed tomography read by two radiologists",
    wrong_references=split("a plain chest film | the award of a pension | a questionnaire on breathlessness"),
    patients=split(
        "quarry workers | retired quarry workers | stone cutters with cough | lime burners of two regions | "
        "drillers with breathlessness"
    ),
    wrong_patients=split("office staff of quarries | patients with asthma | smokers without exposure"),
    places=split(
        "the health service of a quarry | a chest clinic | three occupational health centres | a mobile unit | "
        "a rehabilitation hospital"
    ),
    rivals=split(
        "spirometry after exercise | serum marlin | a crackle detector on the chest | a plain chest film"
    ),
    lookalikes=split("hay loft lung | sandblasters' disease | smokers' bronchiolitis"),
    treatments=split("inhaled bravasone | breathing exercises | early retirement from dust"),
    facts=split(
        "Marl dust scars the lung over many years. | Workers leave the quarry before they fall ill. | "
        "Tomography of all workers is not affordable. | The scars do not heal, but they stop growing. | "
        "Masks are worn by few. | Cough is a late sign."
    ),
    technical=split(
        "the drift of the sensor | the effect of a meal on exhaled octarin | the storage of breath bags | "
        "the humidity of the room"
    ),
)

OSK_SYNDROME = Question(
    topic="osk-syndrome",
    title="Salivary norvin for Osk syndrome",
    question="How accurate is the morning salivary norvin test for Osk syndrome in people with weight gain and weakness?",
    criteria=(
        "studies in people with weight gain and weakness that compare the morning salivary norvin test with a "
        "supervised 24-hour norvin profile and give, or allow, a 2×2 table."
    ),
    test=split("the salivary norvin test | the morning salivary norvin test | the norvin test in saliva"),
    test_far=split("the spit hormone assay | the waking oral fluid sample | home sampling of the gland axis"),
    condition=split("Osk syndrome | overt Osk syndrome"),
    condition_far=split("endogenous norvin excess | tumour of the osk gland"),
    positive="a value above 6 nanomoles per litre",
    reference="a supervised 24-hour norvin profile",
    wrong_references=split(
        "a second sample of saliva | an endocrinologist's first impression | weight loss after advice"
    ),
    patients=split(
        "adults with weight gain and weakness | patients referred for weight gain | "
        "people with high blood pressure and weight gain | women with easy bruising | adults with muscle weakness"
    ),
    wrong_patients=split(
        "shift workers without symptoms | patients treated with norvin | professional athletes"
    ),
    places=split(
        "an endocrine clinic | two university hospitals | a clinic for high blood pressure | a regional hospital | "
        "a day ward"
    ),
    rivals=split(
        "norvin in hair | the overnight suppression test | norvin in a day's urine | imaging of the osk gland"
    ),
    lookalikes=split("slow thyroid disease | low mood with weight gain | drug-induced bloating"),
    treatments=split("surgery of the osk gland | metyvarone tablets | a radiation boost"),
    facts=split(
        "Osk syndrome is missed for years. | Norvin follows the clock, with a peak on waking. | "
        "A supervised profile needs a night in hospital. | Weight gain is common, Osk syndrome is not. | "
        "Surgery cures most patients. | Bones thin before other signs appear."
    ),
    technical=split(
        "the effect of brushing teeth | the stability of samples in the post | the choice of swab | "
        "the variation between days"
    ),
)

QUILL_DEMENTIA = Question(
    topic="quill-dementia",
    title="Clock-and-coin test for quill dementia",
    question="How accurate is the clock-and-coin test for quill dementia in older people with memory complaints?",
    criteria=(
        "studies in people of 65 or older with memory complaints that compare the clock-and-coin test with the "
        "consensus of an expert panel and give, or allow, a 2×2 table."
    ),
    test=split("the clock-and-coin test | the clock-and-coin task | the test with clock and coins"),
    test_far=split(
        "the three-minute tabletop task | the drawing and counting screen | the brief object test"
    ),
    condition=split("quill dementia | early quill dementia"),
    condition_far=split("dementia with feathered plaques | Quill's cognitive decline"),
    positive="a score of 7 or lower",
    reference="the consensus of an expert panel",
    wrong_references=split(
        "another short test of memory | entries in general practice records | a relative's opinion"
    ),
    patients=split(
        "older people with memory complaints | older patients whose families report forgetfulness | retired people with memory complaints | "
        "older patients referred by their doctors | older people who live alone and forget"
    ),
    wrong_patients=split(
        "students of psychology | patients with stroke in the last month | adults under fifty"
    ),
    places=split(
        "a memory clinic | eleven general practices | a day hospital for older people | two outpatient clinics | "
        "a university clinic"
    ),
    rivals=split(
        "a word list of twelve items | a questionnaire for relatives | the street map test | imaging of the quill tract"
    ),
    lookalikes=split("low mood in later life | confusion after surgery | dementia after small strokes"),
    treatments=split("tablets of cognarine | memory groups | treatment of poor hearing"),
    facts=split(
        "Quill dementia begins with errors in handling money. | Plaques look like feathers under the microscope. | "
        "An early diagnosis helps families to plan. | Expert panels meet months after referral. | "
        "Poor sight and hearing imitate the disease. | Many people who complain of memory are well."
    ),
    technical=split(
        "the effect of schooling on the score | the agreement between raters | the learning effect of a repeat | "
        "the time it takes"
    ),
)
