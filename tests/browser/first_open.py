"""Words and controls that a page shows when it is first opened, and how many there may be."""

from playwright.sync_api import Page

from tarstop_core.sessions.demo import start_demo, start_review_demo
from tarstop_core.sessions.store.store import Store

LIMITS: dict[str, tuple[str, int, int | None]] = {
    "Home": ("", 120, None),
    "Set up, patents": ("set_up", 250, 30),
    "Set up, patents, what is at stake": ("set_up?step=2+What+is+at+stake", 250, 30),
    "Set up, reviews": ("set_up?scenario=review", 250, 30),
    "Set up, reviews, what is at stake": ("set_up?scenario=review&step=2+What+is+at+stake", 250, 30),
    "Set up, trials": ("set_up?scenario=effect", 250, 30),
    "Set up, trials, what is at stake": ("set_up?scenario=effect&step=2+What+is+at+stake", 250, 30),
    "Set up, seen enough?": ("set_up?scenario=enough", 250, 30),
    "Set up, seen enough?, when to stop": ("set_up?scenario=enough&step=2+When+to+stop", 250, 30),
    "Screen, patents": ("screen?session={patent}", 150, None),
    "Screen, reviews": ("screen?session={review}", 150, None),
    "Evidence": ("evidence", 200, None),
    "Evidence, trials": ("evidence?numbers=trials&set=bcg&measure=RD&delta=-0.01&people=2000", 200, None),
    "Explore": ("explore", 200, None),
    "Decisions": ("decisions", 200, 30),
    "Calibration": ("calibration", 200, None),
    "Learn": ("learn", 300, None),
    "Results": ("results", 300, 25),
}
"""By what a row of the table is called: address, and how many words and controls there may be at most."""
COUNT = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    const seen = (each) => each.checkVisibility({visibilityProperty: true, opacityProperty: true});
    // Figures, tooltips and signs, the document on Screen, and formulas written a second time for screen readers.
    const left_out = '.js-plotly-plot, .tar-fluid, svg, [data-testid=stTooltipContent], [data-testid=stIconMaterial], kbd, ' +
        'canvas, .st-key-document, .katex-mathml, style, script';
    const words = [];
    const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const of = node.parentElement;
        if (!of.closest(left_out) && seen(of)) words.push(...(node.data.match(/\\S*\\p{L}\\S*/gu) ?? []));
    }
    const inside = 'a[href], button, input, select, textarea, summary, [role=slider], [role=tab], [role=combobox]';
    const controls = new Set();
    for (const each of main.querySelectorAll(inside)) {
        if (each.closest('.js-plotly-plot, [data-testid=stTooltipIcon], .st-key-document')) continue;
        // A number with its two steps, and a box with its arrow, are one control.
        const whole = each.closest('[data-testid=stNumberInput], [data-testid=stSelectbox], [data-testid=stSlider], ' +
            '[data-testid=stFileUploader], [data-testid=stMultiSelect], label') ?? each;
        if (seen(whole)) controls.add(whole);
    }
    return {words: words.length, controls: controls.size, all: words.join(' ')};
}"""


def counted(page: Page) -> tuple[int, int]:
    """Words and controls of the main area of a page, as they are when nothing has been touched."""
    found = page.evaluate(COUNT)
    return found["words"], found["controls"]


def sessions(store: Store) -> dict[str, str]:
    """A demo session of each kind, for the addresses that ask for one."""
    return {"patent": start_demo(store), "review": start_review_demo(store)}
