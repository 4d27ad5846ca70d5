"""Query words are marked in their usual forms, and nothing of the text is lost."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.ranking.words import WORD_TOKENS, parts, stems


def marked(query: str, text: str) -> list[str]:
    return [piece for piece, asked in parts(text, stems(query)) if asked]


@pytest.mark.parametrize(
    "forms",
    [
        "screen screens screened screening",
        "fold folds folded folding",
        "sensitive sensitively sensitivity sensitivities",
        "hinge hinges hinged hinging",
        "locate located locating location locations",
        "control controlled controlling controllable",
        "study studies studied",
        "box boxes boxed",
        "Gerät gerat GERÄT Gera\u0308t",
        "Sjögren sjogren",
    ],
)
def test_forms_of_one_word_mark_each_other(forms: str) -> None:
    words = forms.split()
    for query in words:
        assert marked(query, f"The {forms}.") == unicodedata.normalize("NFC", forms).split()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("antenna", "antonym"),
        ("mast", "mastoid mastery"),
        ("process", "profess"),
        ("a of the", "a of the"),
        ("", "x"),
    ],
)
def test_other_words_are_left_alone(query: str, text: str) -> None:
    assert marked(query, text) == []


def test_common_words_and_marks_do_not_count() -> None:
    text = "The accuracy of X-ray for Crohn's disease"
    assert marked("Is the X-ray accurate for Crohn's disease?", text) == ["X", "ray", "Crohn", "s", "disease"]


@given(st.text(max_size=60), st.text(max_size=200))
def test_the_pieces_are_the_text(query: str, text: str) -> None:
    assert "".join(piece for piece, _ in parts(text, stems(query))) == unicodedata.normalize("NFC", text)


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=20))
def test_a_word_marks_itself(word: str) -> None:
    found = marked(word, f"- {word} -")
    assert found or not stems(word)


@given(st.text(max_size=60) | st.text(st.characters(max_codepoint=127), max_size=60))
def test_what_counts_in_a_ranking_is_what_is_marked(text: str) -> None:
    whole = unicodedata.normalize("NFC", text)
    assert WORD_TOKENS.split(text) == re.findall(r"\w+", whole)
    assert stems(text) == set(WORD_TOKENS(text))
    counted = [piece for piece in WORD_TOKENS.split(text) if WORD_TOKENS.word(piece)]
    assert marked(text, text) == counted
