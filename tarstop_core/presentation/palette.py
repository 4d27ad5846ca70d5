"""Every colour: one meaning, one colour, in light, in dark and on paper."""

from __future__ import annotations

# Okabe–Ito; one meaning, one colour, readable on white and on near-black.
BELIEF = "#0072B2"
THRESHOLD = "#888888"
VALUE = "#009E73"
COST = "#E69F00"
PLUS = "#D55E00"
MINUS = "#56B4E9"
# No single grey or amber has a contrast of 4.5:1 on white and on near-black.
TEXT, TEXT_ON_DARK = "#5B6470", "#A9B1BA"
COST_TEXT, COST_TEXT_ON_DARK = "#8A5A00", "#E69F00"
# The page's background in both themes: behind a label that lines may cross.
PAPER, PAPER_ON_DARK = "#FFFFFF", "#14181D"
GRID = "rgba(128,128,128,0.22)"

# As text on white and on near-black the two actions need 4.5:1.
PLUS_TEXT, PLUS_TEXT_ON_DARK = "#B04A00", "#F08A4B"
MINUS_TEXT, MINUS_TEXT_ON_DARK = "#1F6FA8", "#56B4E9"
BELIEF_TEXT_ON_DARK = "#5AB4E6"
