"""Every colour: one meaning, one colour, in light, in dark and on paper; rules bring their own, of the same row."""

# Okabe–Ito: readable on white and on near-black, distinguished by nearly everybody; and three that stay apart from it.
BLUE, VERMILION, GREEN, PURPLE, AMBER, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
VIOLET, OLIVE, GREY = "#7A5195", "#8C8C00", "#777777"
SERIES = (BLUE, VERMILION, GREEN, PURPLE, AMBER, SKY, VIOLET, OLIVE, GREY)

BELIEF, VALUE, COST, POOLED = BLUE, GREEN, AMBER, PURPLE
PLUS, MINUS = VERMILION, SKY
LESS, MORE = BLUE, AMBER
THRESHOLD = "#888888"
# What is there to compare with, and single studies: at least 3:1 on white and on near-black.
STUDY = "#7C8793"

# As text everything needs 4.5:1, which no single colour has on white and on near-black.
TEXT, TEXT_ON_DARK = "#5B6470", "#A9B1BA"
TEXTS = {
    BELIEF: (BELIEF, "#5AB4E6"),
    VALUE: ("#00755A", "#2FBF94"),
    COST: ("#8A5A00", AMBER),
    PLUS: ("#B04A00", "#F08A4B"),
    MINUS: ("#1F6FA8", SKY),
    POOLED: ("#A04A7B", "#DE9CC1"),
}
"""The colour of a line as text, on white and on near-black; other lines are named in that of ordinary texts."""

# The page's background in both themes: behind a label that lines may cross.
PAPER, PAPER_ON_DARK = "#FFFFFF", "#14181D"
CLEAR = "rgba(0,0,0,0)"
GRID = "rgba(128,128,128,0.22)"
OUTLINE, OUTLINE_ON_DARK = "#000000", "#FEFEFE"
NEUTRAL, NEUTRAL_ON_DARK = "#EDEFF2", "#3C444D"

# Areas that lines and points can be seen through.
BELIEF_AREA, BELIEF_BAND = "rgba(0,114,178,0.25)", "rgba(0,114,178,0.20)"
VALUE_AREA = "rgba(0,158,115,0.16)"
VALUE_TINTS = ("#D6F0E9", "#112D2B")  # That area on white and on near-black: behind a label within it
POOLED_AREA = "rgba(204,121,167,0.14)"
STUDY_AREA = "rgba(124,135,147,0.35)"

FOR_PAPER = {
    TEXT_ON_DARK: TEXT,
    PAPER_ON_DARK: PAPER,
    **{dark: paper for paper, dark in (TEXTS[POOLED], TEXTS[BELIEF], TEXTS[VALUE])},
}
"""Texts of a dark page, and the colours that they take in a saved picture: that one is for white paper."""
ACTIONS_FOR_PAPER = {
    OUTLINE_ON_DARK: OUTLINE,
    **{dark: paper for paper, dark in (TEXTS[PLUS], TEXTS[MINUS], TEXTS[COST])},
}
"""The same where the two actions and the cost are named: some are colours of lines on other pages."""

# Drawings as SVG: texts and lines, grid, boxes, and the bars that name a phase of a diagram.
INK, INK_ON_DARK = "#1b1f24", "#e9edf1"
SVG_GRID = "#888"
BOX_FILL, BOX_FILL_ON_DARK = "#ffffff", "#14181d"
PHASE_BAR, PHASE_BAR_ON_DARK, PHASE_BAR_ON_ANY = "#dbe7f3", "#263a50", "rgba(86,180,233,.25)"
