"""The Administration page: who there is, what is kept about them, backups, limits, and what was done."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from json import dumps
from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard.frame import address, people, shell
from dashboard.frame.markup import grid, lines, scrolling
from dashboard.frame.uploads import PER_SERVER, PER_TAB
from dashboard.frame.waiting import shown, take_in, taken_in
from dashboard.frame.widgets import bound, lasting, one_of, save_button, tabs
from dashboard.frame.work import button, clock, flash, say
from dashboard.parts import jobs
from tarstop_core.evaluation import worker
from tarstop_core.files import table_to_csv
from tarstop_core.files.source import BUDGET
from tarstop_core.places import Provider, backups_folder
from tarstop_core.presentation.numbers import count_of
from tarstop_core.sessions.store.accounts import AccountSummary, PersonalData
from tarstop_core.sessions.store.backup import holdings
from tarstop_core.sessions.store.store import Store

PREFIX = "administration"
LEAD = "Accounts and what is stored about them, backups, limits, and who did what."
LINES, ALL_LINES = 50, 100_000
"""Lines of the audit log that are shown, and that can be saved."""
HEAD = ("Name", "Rights", "Last login", "Roles held", "Entries in logs", "Drafts", "Audit lines")
EVERYBODY = ""


def administration_page() -> None:
    """Draw what administrators look after."""
    store = shell.store()
    store.require_administrator()
    shell.opening("Administration", LEAD)
    flash()
    drawn = {
        "Accounts": _accounts,
        "Projects": _projects,
        "Backup": _backup,
        "Limits": _limits,
        "Audit log": _audit,
    }
    tabs(drawn, store, **bound("part"))


def _accounts(store: Store) -> None:
    accounts = {account.name: account for account in store.accounts()}
    _table("Accounts", HEAD, [_row(account) for account in accounts.values()])
    name = one_of("Details of", {each: each for each in accounts}, key=f"{PREFIX}/about")
    _about(store, accounts[name])


def _table(about: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    st.html(scrolling(about, grid(head, rows)))


def _facts(about: str, rows: list[tuple[str, str]]) -> None:
    st.html(scrolling(about, f"<table><tbody>{lines(rows)}</tbody></table>"))


def _moment(time: str) -> str:
    """A time that no line breaks within."""
    return clock(time, with_day=True).replace(" ", "\u00a0")


def _row(account: AccountSummary) -> tuple[str, ...]:
    standing = ("administrator" if account.administers else "") + (" · locked out" if account.locked else "")
    seen = _moment(account.seen) if account.seen else ""
    counts = (account.shares, account.events, account.drafts, account.audit)
    return account.name, standing.strip(" ·"), seen, *(f"{number:,}" for number in counts)


def _about(store: Store, account: AccountSummary) -> None:
    """What is stored about a person, and what an administrator may do about that."""
    name, about = account.name, store.kept_about(account.name)
    entries = sum(log.entries for log in about.logs)
    rows = [
        ("Account since", _moment(account.created)),
        ("Projects", ", ".join(about.projects) or "none"),
        (
            "Has a role in",
            count_of(len(about.roles), "session, import or calibrator", "sessions, imports and calibrators"),
        ),
        ("Entries in logs", f"{entries:,} in {count_of(len(about.logs), 'session', 'sessions')}"),
        ("Drafts", f"{about.drafts:,}"),
        ("Lines of the audit log", f"{len(about.audit):,}"),
    ]
    _facts(f"About {name}", rows)
    shell.caption(
        "What they wrote is in sessions and drafts, which only the owners see. This page shows where and how much."
    )
    with st.container(horizontal=True):
        file = f"{name}-stored.json"
        save_button(
            "Save what is stored (JSON)", partial(_as_json, account, about), file, key=f"{PREFIX}/stored"
        )
        if name == store.person:
            return
        lock = "Unlock" if account.locked else "Lock out"
        button(lock, store.lock_out, name, not account.locked, key=f"{PREFIX}/lock")
        appoint = "End administration" if account.administers else "Let administer"
        button(appoint, store.appoint, name, not account.administers, key=f"{PREFIX}/appoint")
        with st.popover("Erase", key=f"{PREFIX}/erase"):
            words = count_of(account.events, "entry", "entries")
            st.write(
                f"Account, roles and drafts of {shell.escape_markdown(name)} go; {words} in logs get another name. What only they owned goes to the administrators. You "
                "cannot undo this; earlier backups keep it."
            )
            button("Erase", _erase, store, name, key=f"{PREFIX}/erased", type="primary")


def _as_json(account: AccountSummary, about: PersonalData) -> str:
    return dumps({"account": asdict(account), **asdict(about)}, indent=1, ensure_ascii=False)


def _erase(store: Store, name: str) -> None:
    other = store.erase(name)
    say(f"Logs now say “{other}”.")


def _projects(store: Store) -> None:
    rows = [(project, ", ".join(members)) for project, members in store.projects().items()]
    if rows:
        _table("Projects", ("Project", "Members"), rows)
    else:
        shell.caption("A project is a group of people: what is shared with it is shared with all of them.")
    left, right = st.columns(2)
    left.text_input("Project", key=f"{PREFIX}/project", max_chars=100, placeholder="its name")
    right.text_input(
        "Person", key=f"{PREFIX}/person", max_chars=200, placeholder="name with which they log in"
    )
    with st.container(horizontal=True):
        button("Add to the project", _member, store, True, key=f"{PREFIX}/join")
        button("Remove from the project", _member, store, False, key=f"{PREFIX}/leave")


def _member(store: Store, belongs: bool) -> None:
    project, person = (str(st.session_state[f"{PREFIX}/{field}"]) for field in ("project", "person"))
    store.set_member(project, person, belongs)


def _backup(store: Store) -> None:
    _facts("The store", [("Store", store.name), ("Holds", str(holdings(store)))])
    folder = backups_folder()
    key = f"{PREFIX}/backup"
    button("Back up now", partial(take_in, key, _back_up, store, folder, large=True), key=key, type="primary")
    taken_in(key)
    kept = sorted(folder.glob("tarstop-*.db"), reverse=True)
    rows = [
        (file.name, _moment(_written(file)), f"{file.stat().st_size / 1e6:,.1f}\u00a0MB") for file in kept
    ]
    if rows:
        _table("Backups", ("Backup", "Written", "Size"), rows)
    shell.caption(
        f"A backup contains everybody’s work, so it stays on the server: in the folder “{folder.name}” beside its data. Copy "
        "them to another machine; “tarstop restore FILE” brings one back."
    )


def _written(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat()


def _back_up(store: Store, folder: Path) -> None:
    file = folder / f"tarstop-{datetime.now(UTC):%Y-%m-%d-%H%M%S}.db"
    store.note_backup(file.name)
    words = partial(_far, f"Backing up to {file.name}")
    held = shown(file.name, f"Backing up to {file.name}", jobs.backed_up, store.reach, file, in_words=words)
    say(f"{file.name} holds {held}.")


def _far(words: str, done: float, of: float) -> tuple[float, str]:
    return done / of, words


def _limits(_: Store) -> None:
    gate = people.way()
    rows = [
        ("Uploads of one browser tab", f"{PER_TAB / 2**30:.3g} GB"),
        ("Uploads of all tabs", f"{PER_SERVER / 2**30:.3g} GB"),
        ("Records of one file", f"{BUDGET.records:,}"),
        ("Records that one tab holds", f"{BUDGET.held:,}"),
        ("Size of a compressed file when unpacked", f"{BUDGET.unpacked / 2**30:.3g} GB"),
        ("Large jobs at once", f"{worker.AT_ONCE:,}"),
        ("Time of a large job", f"{worker.SECONDS / 60:.0f} minutes"),
        ("Memory of a large job", f"{worker.memory() / 2**30:.3g} GB"),
        ("Characters behind an address’s question mark", f"{address.LONGEST_QUERY:,}"),
        (
            "A login lasts",
            "as long as the provider’s token" if isinstance(gate, Provider) else "as the proxy says",
        ),
    ]
    _facts("Limits", rows)
    shell.caption(
        "Anything above a limit is refused with a sentence that names the limit. Memory and jobs depend on the machine."
    )


def _audit(store: Store) -> None:
    audited = store.audit(ALL_LINES)
    names = {EVERYBODY: "everybody"} | {name: name for name in sorted({line.person for line in audited})}
    whose = one_of("Lines of", names, **lasting(f"{PREFIX}/whose"))
    head = ("When", "Who", "What", "On what", "Details")
    rows = [
        (line.time, line.person, line.what, line.object_id, line.about)
        for line in audited
        if whose in (EVERYBODY, line.person)
    ]
    _table("Audit log", head, [(_moment(time), *more) for time, *more in rows[:LINES]])
    if len(rows) > LINES:
        shell.caption(f"The newest {LINES} of {len(rows):,} lines.")
    csv = partial(table_to_csv, pd.DataFrame(rows, columns=head))
    save_button("Save the audit log (CSV)", csv, "audit-log.csv", key=f"{PREFIX}/audit")
