"""Kill the server with SIGKILL between key presses and count lost labels.

Run it as ``python -m benchmarks.kills [KILLS]`` (default 50): it starts the dashboard on a database of
its own, screens the demo by keyboard in a real Chromium, kills the server at random moments, also right
after a press, and compares what the page had counted with what is stored. Exits with 1 when anything that
the page had counted is missing.
"""

import random
import re
import sys
import time
from itertools import zip_longest
from typing import Any

from playwright.sync_api import Page

from benchmarks.judging import dashboard
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import NAMES
from tarstop_core.sessions.store.store import Store
from tests.browser.acting import arrived, press

VERDICTS = {"e": "not relevant", "u": "unsure"}


def shown(page: Page) -> int:
    """Documents screened, as the page says."""
    found = re.match(r"([\d,]+) of", page.get_by_test_id("counter").inner_text())
    assert found
    return int(found.group(1).replace(",", ""))


def screen_through_kills(page: Page, server: Any, kills: int, seed: int) -> int:
    """Press keys, kill, restart, look; returns how many counted labels were lost.

    Parameters
    ----------
    page : Page
        On the Screen page of a session with documents left.
    server : AppServer
        Of ``tests/browser/conftest.py``.
    kills, seed : int
    """
    rng = random.Random(seed)
    url, lost, presses = page.url, 0, 0
    acknowledged: list[str] = []
    session = url.split("session=")[1].split("&")[0]
    for _ in range(kills):
        for _ in range(rng.randint(1, 3)):
            key = rng.choice("eeeu")
            press(page, key, shown(page) + 1)
            presses += 1
            acknowledged.append(VERDICTS[key])
        if rng.random() < 0.5:
            # A press on its way: it may be stored or not, but nothing before it may be lost.
            page.keyboard.press("e")
            time.sleep(rng.uniform(0, 0.12))
        if shown(page) > len(acknowledged):
            acknowledged.append(VERDICTS["e"])
        server.kill()
        with Store(server.database) as store:
            row = store.session(session)
            state = replay(row.settings, row.ids, store.events(session))
        kept = [NAMES[int(label)] for label in state.labels[: state.depth]]
        # Nothing that was shown as counted may be missing or changed; what was on its way may be there.
        lost += sum(mine != theirs for mine, theirs in zip_longest(acknowledged, kept[: len(acknowledged)]))
        acknowledged = kept
        server.start()
        page.goto(url)
        arrived(page, f"{len(kept)} of")
    print(f"{kills} kills, {presses} acknowledged presses and some on their way: {lost} lost")
    return lost


def main(kills: int = 50) -> int:
    """Run the script's own server and browser."""
    with dashboard() as (server, browser):
        page = browser.new_page(bypass_csp=True)
        page.goto(server.url)
        page.get_by_role("button", name="Start the demo").click()
        arrived(page, "0 of")
        lost = screen_through_kills(page, server, kills, seed=1)
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:2])))
