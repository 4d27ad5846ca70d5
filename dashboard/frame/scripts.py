"""All scripts that pages run, and their parameters; the browser runs no others (``server.py``)."""

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from tarstop_core.files.columns import names_of
from tarstop_core.files.tables import TYPED
from tarstop_core.presentation.palette import ACTIONS_FOR_PAPER, FOR_PAPER

FRAME = Path(__file__).parent
"""The folder of style sheets and scripts that several pages use."""


def script(file: Path, before: str = "") -> str:
    """Return the HTML element of a script; the code `before` runs first."""
    return f"<script>{before}{file.read_text(encoding='utf-8')}</script>"


def digests(page: str) -> list[str]:
    """Digests of the scripts in a page, in the form of a Content-Security-Policy."""
    scripts = [rest.partition("</script>")[0] for rest in page.split("<script>")[1:]]
    hashes = [hashlib.sha256(code.encode()).digest() for code in scripts]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes]


def _for_paper(colours: Mapping[str, str]) -> str:
    """Script that sets the colours to replace when a picture with a dark background is saved."""

    def rgb(colour: str) -> str:
        return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"

    paper = {rgb(dark): rgb(light) for dark, light in colours.items()}
    return f"window.tarstopPaper={json.dumps(paper)};\n"


PASTING = (
    f"const NAMES={json.dumps(names_of('effects') | TYPED | names_of('rates'))};\n"
    f"{(FRAME / 'pasting.js').read_text(encoding='utf-8')}"
)
"""Code that reads pasted cells of a spreadsheet; a script that fills them in follows it."""
# Streamlit keeps the scroll position of the previous page, so a person might label a document without seeing its top.
ARRIVAL_SCRIPT = """<script>document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0)</script>"""
# It scrolls again while the fold opens, unless the person has pressed something by then.
TABLES_SCRIPT = (
    "<script>{const again = [0, 200, 500].map((later) => setTimeout(() => document.querySelector('.st-key-tables')"
    "?.scrollIntoView({block: 'center'}), later)); "
    "addEventListener('pointerdown', () => again.forEach(clearTimeout), {once: true, capture: true});}</script>"
)
COPY_SCRIPT = script(FRAME / "copying.js")
GUIDE_SCRIPT = script(FRAME / "guide.js")
KEYS_SCRIPT = script(FRAME / "keys.js")
PASTING_SCRIPT = f"<script>{{{PASTING}{(FRAME / 'pasting_form.js').read_text(encoding='utf-8')}}}</script>"
"""Its names are in a block of their own, because the script runs again on every visit."""
REACHABLE_SCRIPT = script(FRAME / "reachable.js")
SAVE_SCRIPT = script(FRAME / "saving.js", _for_paper(FOR_PAPER))
"""For pages on which pictures can be saved."""
SAVE_ACTIONS_SCRIPT = script(FRAME / "saving.js", _for_paper(FOR_PAPER | ACTIONS_FOR_PAPER))
"""For pages whose figures have the colours of the two actions."""
REVIEWER_SCRIPT = (
    "<script>document.querySelectorAll('[data-reviewer]').forEach((each) => { document.cookie = "
    "`tarstop_reviewer=${encodeURIComponent(each.dataset.reviewer)}; path=/; max-age=31536000; SameSite=Lax`; })</script>"
)
"""Stores the person's name in a cookie of their browser, for reloads and later visits."""
ALL = REVIEWER_SCRIPT + ARRIVAL_SCRIPT + TABLES_SCRIPT + COPY_SCRIPT + GUIDE_SCRIPT
ALL += KEYS_SCRIPT + PASTING_SCRIPT + REACHABLE_SCRIPT + SAVE_SCRIPT + SAVE_ACTIONS_SCRIPT
"""All scripts that the server's policy allows."""
