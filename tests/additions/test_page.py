"""A page is added as CONTRIBUTING says: a script, a folder, its line in the sidebar and its chapter in the guide."""

from tests.additions.conftest import Tree

SCRIPT = '''"""Dice."""

from dashboard.dice.page import dice_page
from dashboard.frame import shell

shell.show("Dice", dice_page)
'''
PAGE = '''"""The Dice page."""

import streamlit as st

from tarstop_core.presentation.numbers import percent


def dice_page() -> None:
    """Draw the page."""
    st.title("Dice")
    st.write(f"A six comes with {percent(1 / 6)}.")
'''
LOOKED_AT = """
from streamlit.testing.v1 import AppTest
from dashboard.guide.page import chapters, document

app = AppTest.from_file("app.py", default_timeout=120).switch_page("pages/dice.py").run()
assert not app.exception and not app.error, (app.exception, app.error)
print(app.title[0].value, "|", app.markdown[0].value, "|", any('href="guide?read=guide#dice"' in str(each.body) for each in app.get("html")))
print("dice" in str(chapters(document("guide"))).lower())
"""


def test_a_page_is_a_script_a_folder_a_line_and_a_chapter(tree: Tree) -> None:
    tree.add("pages/dice.py", SCRIPT)
    tree.add("dashboard/dice/__init__.py", '"""The Dice page."""\n')
    tree.add("dashboard/dice/page.py", PAGE)
    results = 'page(RESULTS, "Results", "analytics"),\n'
    dice = '            page("pages/dice.py", "Dice", "casino"),\n'
    tree.line("dashboard/frame/shell.py", results, dice)
    tree.line("docs/guide.md", "# User guide\n", "\n## Dice\n\nHow often a six comes.\n")
    assert tree.run(LOOKED_AT).splitlines() == ["Dice | A six comes with 17 %. | True", "True"]
