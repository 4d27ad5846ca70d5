"""One session on the Sessions page: its files, flow diagram, other settings, protocol, documents that join."""

import base64
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import beside_title, offered, png_button
from dashboard.frame.markup import Blocks, bullets
from dashboard.frame.scripts import SAVE_SCRIPT
from dashboard.frame.waiting import LARGE_FILE, LARGE_LIST, shown, stored, take_in, taken_in
from dashboard.frame.widgets import LONGEST_NAME, ask_for_files, named, one_of, save_button, share, tabs
from dashboard.frame.work import button, clock, flash, go_to, kept, reviewer, say
from dashboard.parts import imports, jobs, stakes, stopping
from dashboard.parts.documents import KINDS
from dashboard.parts.imports import DATABASE
from dashboard.parts.sessions import CHOSEN, OF, PREFIX, file_stem, imported, loaded, save_export
from dashboard.sessions.another import another_question
from dashboard.sessions.sharing import share_tab
from tarstop_core.files import trace_to_csv
from tarstop_core.policies import POLICIES, parse_policy
from tarstop_core.policies.registry import advising_rules
from tarstop_core.presentation.numbers import count_of, unbroken
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.labels import GRADES
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.setting_aside import after_plan
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import changes, protocol_appendix, protocol_paragraph
from tarstop_core.screening.wording import about_documents, action, chosen_action
from tarstop_core.sessions.calibrator_library import all_calibrators, fitting_calibrators, title
from tarstop_core.sessions.compare import duplicate, outcome, outcome_sentence, with_calibrator
from tarstop_core.sessions.export import JOINED, joined_in_words
from tarstop_core.sessions.joining import Preview, join, may_part, part, preview
from tarstop_core.sessions.other_tools import TOOLS
from tarstop_core.sessions.prisma import DARK, LIGHT, WIDTH, flow_diagram, flow_picture, origin
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.store import Store

block = Blocks("sessions/blocks.html")
EXPLORED = {True: "Explore this session", False: "What would knowing be worth?"}
"""What the button that leads to Explore says, by whether the session weighs a decision."""
RELEVANT, INCLUDED = "-relevant.ris", "-included.ris"
OFFERED = {
    "-report.html": (
        "Report (HTML)",
        "One page for the audit file: search, stakes, finds, every advice, decision, "
        "plan and deviations. Opens without a network.",
    ),
    jobs.SESSION: (
        "Session file (JSON)",
        "Everything, with documents and log. Import it on another machine to continue there.",
    ),
    "-session.xlsx": (
        "Excel (XLSX)",
        "Documents with labels, notes and advice; settings, flow diagram and log on separate sheets.",
    ),
    "-documents.csv": (
        "Documents (CSV)",
        "Every document of the list with its label, note and the advice before it.",
    ),
    "-documents.ris": (
        "Documents (RIS)",
        "For reference managers and screening tools, label and note in the notes.",
    ),
    RELEVANT: ("Relevant ones (RIS)", "Only what was {relevant}."),
    INCLUDED: ("Studies with data (RIS)", "Only reports that were read in full and brought data."),
    **{
        tool.end: (
            f"For {tool.name} (CSV)",
            f"Its columns, with the number it gave each record, labels and notes. Open it in {tool.name}.",
        )
        for tool in TOOLS
    },
}
"""What each export is called and is for, by how its file's name ends."""


def detail(store: Store, session_id: str) -> None:
    """Draw one session; InputProblem when there is none with this id, or it cannot be read."""
    session = loaded(store, session_id)
    st.title(shell.escape_markdown(session.row.name))
    flash()
    allowed = store.actions("session", session_id)
    if "export" in allowed:
        with beside_title():
            _files(store, session)
    _facts(session)
    with st.container(horizontal=True):
        word = "Continue" if session.state.decision is None and "label" in allowed else "Open"
        resumed = st.button(word, type="primary", key=f"{PREFIX}/resume")
        how: dict[str, Any] = {"icon": ":material/explore:", "disabled": session.row.archived}
        if session.row.archived:
            how["help"] = "Bring an archived session back to explore it."
        weighs = session.state.settings.weighs
        explored = st.button(EXPLORED[weighs], key=f"{PREFIX}/explore", **how)
        away, key = (st.query_params.pop, CHOSEN, None), f"{PREFIX}/back"
        button("All sessions", *away, key=key, icon=":material/arrow_back:")
    if resumed:
        go_to(session.row.id)
    if explored:
        st.switch_page(shell.EXPLORE, query_params={OF: f"session:{session.row.id}"} if weighs else {})
    shared = {} if store.person is None else {"Share": share_tab}
    offered = {name: draw for name, draw in TABS.items() if NEEDS.get(name, "see") in allowed}
    tabs(offered | shared, store, session, key=f"{PREFIX}/tab")


def _facts(session: SessionSnapshot) -> None:
    state, row = session.state, session.row
    marks = [
        scenario_of(state.settings).short,
        *about_documents(session.collection.simulated, state.settings),
    ]
    if state.plan is not None:
        deviated = state.deviations or after_plan(session.events)
        marks.append("plan registered, deviated from" if deviated else "plan registered")
    scenario, decision = scenario_of(state.settings), state.decision
    facts = [f"{state.depth:,} of {len(row.ids):,} screened"]
    facts += scenario.counted(state)
    if len(state.unsure):
        facts.append(f"{len(state.unsure):,} unsure")
    if decision is not None:
        facts.append(f"decided: {chosen_action(decision, state.settings)}")
    elif state.stopped:
        facts.append("stopped, not decided")
    if decision is None and state.settings.weighs:
        facts.append(f"now best: {action(session.advice_now.option, state.settings)}")
    facts.append(clock(state.last_time or row.created))
    if state.imported:
        imported(session.provenance)
    standing = scenario.rows(session.advice_now, state.settings)[0]
    st.html(block("facts", marks, facts, *standing))


def _files(store: Store, session: SessionSnapshot) -> None:
    state, settings = session.state, session.state.settings
    relevant = "graded X, Y or A" if settings.grades else "labelled relevant"
    relevant = "included by title and abstract" if settings.judges_abstracts else relevant
    none = not np.isin(state.labels, list(GRADES)).any()
    empty = {RELEVANT: none, INCLUDED: not len(state.evidence.positions)}
    for end, (label, words) in OFFERED.items():
        if end != INCLUDED or settings.reads_full_texts:
            how = {"disabled": empty.get(end, False), "help": words.format(relevant=relevant)}
            save_export(store, session.row, session.state.seq, end, label, width="stretch", **how)


def _other_settings(store: Store, session: SessionSnapshot) -> None:
    settings = session.state.settings
    key = f"{PREFIX}/tried/{session.row.id}"
    tried: Settings = st.session_state.get(key, settings)
    st.write("The same labels, replayed from the first document under settings of your choice.")
    if isinstance(tried, EnoughSettings):
        drawn = session.state.drawn is not None
        stopping.compact(tried, drawn, f"{key}/stopping", lambda moved: st.session_state.update({key: moved}))
        tried, session = _other_chances(store, session, tried, key)
        _replayed(session, settings, tried)
        _make_duplicate(store, session, tried, key)
        return
    stakes.compact(tried, f"{key}/stakes", lambda moved: st.session_state.update({key: moved}))
    left, right = st.columns(2, gap="medium")
    specs = (settings.policy, *(POLICIES[name]().spec for name in advising_rules()))
    rules = {spec: str(parse_policy(spec, files=False)) for spec in specs}
    first = tried.policy if tried.policy in rules else settings.policy
    rule = one_of("Stopping rule", rules, at=left, first=first, key=f"{key}/rule")
    about = f"The {shell.term('b-0', 'starting belief')} b₀."
    within_slider = float(min(0.99, max(0.01, tried.b_0)))
    b_0 = share("Chance before any document", within_slider, at=right, key=f"{key}/b_0", help=about)
    if (threshold := tried.threshold) is not None:
        chosen = stakes.beyond(threshold, at=right, key=f"{key}/{tried.threshold_field}")
        tried = tried.with_threshold(chosen)
    tried, session = _other_chances(store, session, tried, key)
    # The slider's step must not move a finer starting chance that nobody touched.
    b_0 = tried.b_0 if abs(b_0 - tried.b_0) < 0.005 else b_0
    tried = replace(tried, policy=rule, b_0=b_0)
    st.session_state[key] = tried
    _replayed(session, settings, tried)
    _make_duplicate(store, session, tried, key)


def _other_chances(
    store: Store, session: SessionSnapshot, tried: Settings, key: str
) -> tuple[Settings, SessionSnapshot]:
    """Ask for the calibrator; a factor that was found for one is not another's."""
    settings = session.state.settings
    own = session.calibrators[settings.calibrator]
    there = fitting_calibrators(store, own.scenario, session.row.scores is not None).values()
    choices = {settings.calibrator: own} | {entry.calibrator.digest: entry.calibrator for entry in there}
    titles = {entry.calibrator.digest: title(entry) for entry in all_calibrators(store).values()}
    names = {digest: titles.get(digest, chosen.fitted_on.title) for digest, chosen in choices.items()}
    first = tried.calibrator if tried.calibrator in names else settings.calibrator
    chosen = one_of("Where the chances come from", names, first=first, key=f"{key}/calibrator")
    held, switched = with_calibrator(session, choices[chosen])
    return replace(tried, calibrator=switched.calibrator, scale=switched.scale), held


def _replayed(session: SessionSnapshot, settings: Settings, tried: Settings) -> None:
    st.html(block("replayed", outcome_sentence(outcome(session, tried), tried)))
    if tried != settings:
        moved = changes(session.in_words(settings), session.in_words(tried))
        own = outcome_sentence(outcome(session, settings), settings)
        shell.caption(f"Changed: {'; '.join(moved)}. With the current settings: {own}")
    else:
        st.caption("These are the current settings; change one to see what would have been different.")
    if settings.reads_full_texts:
        st.caption("Here a report counts as read as soon as its document is.")


def _make_duplicate(store: Store, session: SessionSnapshot, tried: Settings, key: str) -> None:
    if "label" not in store.actions("session", session.row.id):
        return
    left, right = st.columns([2, 1], gap="medium", vertical_alignment="bottom")
    calibrator = session.calibrators[tried.calibrator].fitted_on.title
    suggested = suggested_name(session.row.name, session.state.settings, tried, calibrator)
    # A box keeps what it began with: each suggestion has its own.
    name = left.text_input("Name of the duplicate", suggested, key=f"{key}/name/{suggested}")

    def make() -> None:
        called, calibrator = name.strip() or session.row.name, session.calibrators[tried.calibrator]
        st.query_params[CHOSEN] = duplicate(store, session.row.id, tried, named(called), calibrator)
        say(f"Duplicated: {called}.")

    how: dict[str, Any] = {"icon": ":material/content_copy:", "width": "stretch"}
    button("Duplicate with these settings", make, key=f"{PREFIX}/duplicate", at=right, **how)
    st.caption(
        "The duplicate has the labels, reports and notes with their times; plan, "
        "decisions and deviations stay with the original."
    )


def suggested_name(name: str, before: Settings, tried: Settings, calibrator: str) -> str:
    """Return the first name of a duplicate, from the settings that differ from the original.

    >>> from tarstop_core.screening.patent_settings import PatentSettings
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> settings = PatentSettings(Payoffs.from_q_star(0.5), 0.001)
    >>> suggested_name("Hip (59 % sure)", settings, settings, ""), suggested_name("Hip (a)", settings, replace(settings, calibrator="0"), "CLEF")
    ('Hip (50 % sure)', 'Hip (a) (chances: CLEF)')
    """
    own = re.sub(r" \((?:q\* \d\.\d\d|[\d.]+ % sure|\d+ options)?(?:, )?(?:chances: [^()]*)?\)$", "", name)
    other = tried.calibrator != before.calibrator
    differences = [f"chances: {re.sub(r'[()]', '', calibrator)}"] if other else []
    if not tried.weighs and (not other or tried.policy != before.policy):
        differences.insert(0, str(tried.rule.title))
    elif tried.weighs and (not other or tried.payoffs != before.payoffs):
        several = f"{len(tried.actions)} options"
        differences.insert(0, several if tried.payoffs.others else f"{100 * tried.payoffs.q_star:.3g} % sure")
    return f"{own} ({', '.join(differences)})"[:LONGEST_NAME]


def _flow(store: Store, session: SessionSnapshot) -> None:
    counts = session.prisma
    shapes, lines, height = flow_picture(counts, DARK if shell.dark() else LIGHT)
    coded = base64.b64encode(shapes.encode()).decode()
    numbers = [(name, f"{count:,}") for name, count in counts.rows()]
    st.html(block("flow", coded, lines, (WIDTH, height), numbers))
    st.caption("After PRISMA 2020: Page and others (2021), doi 10.1136/bmj.n71.")
    if "export" not in store.actions("session", session.row.id):
        return
    stem = f"{file_stem(session.row.name)}-prisma"
    with offered("Flow diagram", "prisma"):
        svg = flow_diagram(counts)
        save_button("SVG", svg, f"{stem}.svg", key=f"{PREFIX}/svg")
        png_button(svg, stem)
        rows = trace_to_csv([{"box": name, "number": count} for name, count in counts.rows()])
        save_button("CSV", rows, f"{stem}.csv", key=f"{PREFIX}/prisma_csv")
    st.html(SAVE_SCRIPT, unsafe_allow_javascript=True)


def _protocol(_: Store, session: SessionSnapshot) -> None:
    state = session.state
    settings = state.plan or state.settings
    if state.plan is not None:
        st.write("The registered plan as a paragraph for the methods of a protocol.")
    elif state.touched:
        late = "Screening began without a registered plan; a protocol must be written before the first document is read."
        st.warning(late, icon=":material/info:")
    else:
        st.write(
            "Paste this into the methods of the protocol, and register the plan on the Screen page before you read."
        )
    calibrator = session.calibrators[settings.calibrator]
    paragraph = protocol_paragraph(
        settings,
        calibrator,
        size=len(session.row.ids),
        sources=list(dict.fromkeys(map(origin, session.files))),
        duplicates=session.collection.duplicates,
        query=session.row.query,
        ranking=session.row.ranking,
        digest=session.row.digest,
        registered=state.plan is not None or not state.touched,
        audited=state.audit_every,
    )
    with st.container(key="protocol"):
        st.code(unbroken(paragraph), language=None, wrap_lines=True)
        st.caption("For the appendix: it proves later that nothing was exchanged.")
        st.code(protocol_appendix(settings, calibrator, session.row.digest), language=None, wrap_lines=True)


def _add(store: Store, session: SessionSnapshot) -> None:
    st.write(
        "Add records of a later search or another database. Records certainly in the list count as duplicates; possible duplicates join and say "
        "so when you read them. Labels and the order read stay."
    )
    row, key = session.row, f"{PREFIX}/join/{session.row.id}/{len(session.state.joined)}"
    file = next(iter(ask_for_files("A file of records", type=KINDS, key=f"{key}/file") or ()), None)
    large = len(row.ids) > LARGE_LIST or (file is not None and file.size > LARGE_FILE)

    def change(name: str, doing: str, *job: Any) -> None:
        words = stored if large else None
        of_store = (jobs.in_store, jobs.reached(store, large), *job)
        event = shown(name, f"{doing} {name}", *of_store, in_words=words, large=large)
        say(f"{JOINED[event.kind]}: {joined_in_words(event.payload)}.")

    if file is not None:
        asked = (row.id, file.getvalue(), file.name)
        of_store = (jobs.in_store, jobs.reached(store, large), preview, *asked)
        reading = (file.name, f"Reading {file.name}", *of_store)
        with shell.problems_shown():
            _previewed(kept(f"{key}/seen", file.file_id, lambda: shown(*reading, large=large)))
            database = st.text_input("Its database, for the flow diagram", key=f"{key}/database", **DATABASE)
            add = partial(change, file.name, "Adding", join, *asked, database.strip(), reviewer())
            button("Add to the list", partial(take_in, key, add, large=large), key=f"{key}/add")
    elif (last := may_part(row.ids, session.state)) is not None:
        back = partial(change, last["source"], "Taking back", part, row.id, reviewer())
        shell.caption(f"Last joined: {joined_in_words(last)}. Nothing of it is read yet.")
        what = (f"Take back {last['source']}", partial(take_in, key, back, large=large))
        button(*what, key=f"{key}/part", icon=":material/undo:")
    taken_in(key)


def _previewed(coming: Preview) -> None:
    """Show what would join, before it does."""
    shell.caption(f"Would join: {joined_in_words(coming.payload)}.")
    if coming.titles:
        more = ["…"] if len(coming.payload["docs"]) > len(coming.titles) else []
        st.html(bullets([*coming.titles, *more], "tar-meta tar-notes"))
    if coming.labelled:
        st.caption(
            f"Labels that the file has of {count_of(coming.labelled)} are not imported: give them on *Screen*."
        )
    with st.expander("What was understood, column by column"):
        imports.listed([coming.file])


TABS = {
    "Flow diagram": _flow,
    "Other settings": _other_settings,
    "Another question": another_question,
    "Protocol": _protocol,
    "Add documents": _add,
}
NEEDS = {"Another question": "label", "Add documents": "manage"}
"""The right that a tab needs, if seeing the session is not enough."""
