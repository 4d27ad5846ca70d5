"""Every branch of the sentences of screening, rendered."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np

from tarstop_core.calibration.calibration_monitor import E_LIMIT, Check, EvidenceAgainst
from tarstop_core.documents.application import Application
from tarstop_core.presentation.messages import SENTENCES, Messages
from tarstop_core.presentation.numbers import unbroken
from tarstop_core.ranking.learning import DEFAULT, RANKERS
from tarstop_core.readers.overlooked import Verdicts, overlooked
from tarstop_core.samples.shipped import WrongStops
from tarstop_core.screening import advice_message, record_message
from tarstop_core.screening.advised import (
    Advice,
    Assumption,
    EffectFacts,
    Floor,
    Headline,
    RecallFacts,
    ReviewFacts,
    Variation,
)
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings, StudySettings
from tarstop_core.screening.settings_words import ProtocolFacts
from tarstop_core.screening.several_readers import Readers
from tarstop_core.screening.state import DecisionBasis as Basis
from tarstop_core.screening.wording import in_brief, verdict
from tarstop_core.value.payoffs import MINUS, PLUS, Option, Payoffs
from tests.branches import every_branch
from tests.session_cases import PATENT as CALIBRATOR

Values = Iterator[tuple[str, dict[str, Any]]]
SEARCH = PatentSettings(Payoffs.from_q_star(0.5), 0.002, policy="optimal")
ACCURACY = ReviewSettings(
    SEARCH.payoffs, SEARCH.cost, policy="optimal", plus="Adopt", minus="Don’t adopt", full_cost=0.01
)
SEVERAL = replace(ACCURACY, payoffs=replace(SEARCH.payoffs, others=(Option("Trial", 0.15, 0.1),)))
CHECK = Check(60, 9, 21, 3, EvidenceAgainst(1, 1.0, 0.5))
EVIDENCE = (
    CHECK.evidence,
    EvidenceAgainst(12, 0.4, 2.0),
    EvidenceAgainst(12, 99.0, 0.5),
    EvidenceAgainst(1, 81_826_718.0, None),
)
LEFT = (12.4, 3.0, 25.0)
FACTS = ReviewFacts(4, 3, 0.02, 0.01, 2, 0.3, 0.2, 0.25, 15, (0.4, 0.1, 0.8), left=LEFT, relevant=9)
FOUND = RecallFacts(left=LEFT, relevant=50)
PLACES = np.r_[np.zeros(50), 1:21, np.zeros(180)].astype(int)
JUDGED = np.where(PLACES > 0, PLACES == 1, np.nan)
JUDGED[:50] = 1
READ = Verdicts(np.repeat([[1.0, 1.0], [0.0, 0.0]], [50, 200], axis=0), JUDGED, PLACES)
READ_TWICE = (
    overlooked(READ),
    overlooked(replace(READ, relevant=np.where(PLACES > 0, np.nan, JUDGED), drawn=0 * PLACES)),
)
"""What two readers overlooked of 200 documents that both excluded: 20 drawn, one of them relevant, and none drawn."""
NEARLY, NONE_LEFT = replace(FOUND, left=(1.0, 0.0, 9.0)), replace(FOUND, left=(0.1, 0.0, 0.2))
WEIGHED = re.compile(r"belief|q\*|payoff|EVPI|worth|stake|\bnan\b", re.IGNORECASE)
"""Words of a decision that is weighed."""
HALVED, EARLIER = Assumption(chance_factor=0.5), Assumption(b_0=0.3)
DOUBTS = (
    Variation(Assumption(chance_factor=2), go_on=False, more=0, option=PLUS),
    Variation(Assumption(chance_factor=2), go_on=True, more=90, option=PLUS, finds=True),
    Variation(Assumption(chance_factor=2), go_on=True, more=0, option=PLUS, reports=2),
)


def situations(facts: ReviewFacts | None = None) -> Iterator[Advice]:
    """Advice that goes on and that stops, under every headline, with every kind of worth."""
    for headline, go_on in product(get_args(Headline), (True, False)):
        plain = Advice(
            headline=headline,
            go_on=go_on,
            depth=0 if headline == "prior alone" else 5,
            documents=60,
            b=0.3,
            rho=0.01,
            evpi=0.15,
            score=0.0015,
            worth=0.0043,
            cost=SEARCH.cost,
            more=6 if go_on else 0,
            option=MINUS,
            utility=0.15,
            facts=facts,
        )
        for fails in (replace(plain, go_on=True), replace(plain, go_on=False, variations=DOUBTS)):
            yield replace(plain, if_fails=fails, option=int(headline == "found"))
        if headline in ("continue", "stop", "reports"):
            yield from (replace(plain, depth=2), replace(plain, evpi=0.0), replace(plain, cost=0.0))
            yield replace(plain, if_fails=plain, depth=50, more=10 if go_on else 0, b=0.5, option=PLUS)
            yield replace(plain, if_fails=plain, depth=59, more=1, b=0.9, variations=DOUBTS)
            for worth, cost in ((None, 1.0), (0.0, 1.0), (1.0, 0.0)):
                yield replace(plain, worth=worth, cost=cost)


def of_advice(settings: Settings, advice: Advice) -> Values:
    """Everything that a scenario says of an advice."""
    both = {"advice": advice, "settings": settings}
    if not advice.settled:
        yield "why", both
        yield "says", both
    yield "stopping", both
    yield "now", both
    yield "read", {"advice": advice}
    yield "rests", both
    for variation in DOUBTS:
        yield "doubt", {**both, "variation": variation}


def of_settings(settings: Settings) -> Values:
    """What a scenario says of settings alone."""
    for name in ("question", "otherwise", "belief_on_list", "mistake_plus", "mistake_minus", "hope"):
        yield name, {"settings": settings}
    for truth in ("pooled", "full_evidence") if isinstance(settings, StudySettings) else ():
        yield "judged_by", {"settings": replace(settings, truth=truth)}
    yield "chance_column", {"settings": settings}
    alone = "missed settling nothing nothing_further planned finds one_find thought observed"
    for name in alone.split():
        yield name, {}
    yield "assumption", {"assumption": HALVED, "settings": settings}
    for share in (30, 50):
        yield "starting_chance", {"share": share, "settings": settings}
    yield "protocol", {"settings": settings, "plan": plan()}


def plan(**changed: Any) -> ProtocolFacts:
    """A plan of which everything optional is missing."""
    usual: dict[str, Any] = {"size": 300, "sources": (), "duplicates": 0, "query": "", "order": ""}
    return ProtocolFacts(
        **usual
        | {"registered": True, "badge": "of tests", "learning": "", "audit": "", "second": ""}
        | changed
    )


def said(message: Messages, values: Values) -> list[str]:
    """The sentences; those that stand empty where there is nothing to say are left out."""
    return list(filter(None, (message(name, **each) for name, each in values)))


def test_every_branch_of_a_search() -> None:
    cited = replace(SEARCH, needs_citation=False, confirm_hits=False)
    dated = replace(SEARCH, application=Application(number="EP1", priority="2018-03-03"))
    with every_branch(PATENT.message):
        for settings in (cited, dated):
            assert said(PATENT.message, of_settings(settings))
        for advice in situations():
            assert len(said(PATENT.message, of_advice(SEARCH, advice))) > 4
        for waiting, misses, evidence in (
            (0, None, EVIDENCE[0]),
            (0, 0.4, EVIDENCE[0]),
            (1, 0.01, EVIDENCE[2]),
        ):
            check = replace(CHECK, misses=misses, waiting=waiting, relevant=0, low=waiting, evidence=evidence)
            assert PATENT.message("check", check=check, settings=SEARCH, limit=E_LIMIT)


def reviews() -> Iterator[ReviewFacts]:
    """What differs beside the advice of a review."""
    yield FACTS
    yield replace(
        FACTS,
        waiting=0,
        left=(1.2, 0.0, 4.0),
        share=(0.8, 0.5, 1.0),
        pooled_range=(0.7, 0.84),
        range_held=(9, 10),
    )
    yield replace(FACTS, waiting=1, reports_to_read=1, reports_cost=0.0, plan=0, past=WrongStops(3, 9, 4))
    yield replace(FACTS, past=WrongStops(1, 9, 4))
    yield replace(FACTS, left=(0.1, 0.0, 0.2), needed=0)
    yield replace(FACTS, reports_to_read=0, plan=0, otherwise=0.001, needed=2)
    yield replace(FACTS, studies=0, waiting=0, reports_to_read=0, otherwise=0.999)
    yield replace(FACTS, reports_to_read=3, reports_cost=0.5, otherwise=0.34)
    ranged = replace(FACTS, reports_to_read=1, pooled_range=(0.7, 0.84), range_held=(9, 10))
    for waiting, relevant in product((0, 1), (0, 99)):
        yield replace(ranged, waiting=waiting, relevant=relevant)


def test_every_branch_of_a_review() -> None:
    pounds = replace(ACCURACY, payoffs=ACCURACY.payoffs.scaled(20_000, "£"), least_studies=2)
    least = replace(
        ACCURACY, least_studies=5, least_patients=100, policy="greedy", floor=0.9, floor_studies=5
    )
    once = replace(ACCURACY, stages=1, full_cost=0.0, least_patients=100)
    both = replace(ACCURACY, theta_sp=0.9)
    learned = replace(ACCURACY.belief_prior, weight=0.5, learned_from=SimpleNamespace(source="reviews"))  # type: ignore[arg-type]
    message = REVIEW.message
    with every_branch(message):
        for settings in (ACCURACY, both, least, once, replace(once, least_patients=0, least_studies=2)):
            assert said(message, of_settings(settings))
            for name in ("least", "thresholds", "pooled_what"):
                assert message(name, settings=settings)
        assert message("prior", prior=learned)
        for facts, may_change in product(reviews(), (0.0, 0.3)):
            assert message("unread", facts=facts)
            changed_by = replace(facts, reports_may_change=may_change, reports_to_read=0)
            assert bool(message("waiting_reports", facts=changed_by)) == bool(facts.waiting)
        for facts, settings in product(reviews(), (ACCURACY, pounds, least, once, SEVERAL)):
            for advice in situations(facts):
                for floor in (None, *Floor) if settings is least else (None,):
                    changed = replace(advice, b=0.9, depth=60, more=0, held_by=floor) if floor else advice
                    assert said(message, of_advice(settings, changed))
                    assert message("how_right", advice=changed, settings=settings)
                    incomplete = message("incomplete", advice=changed, settings=settings)
                    assert bool(incomplete) == bool(changed.depth < changed.documents or facts.waiting)
        stages = (ACCURACY, once)
        for settings in (*stages, *(replace(each, learns=True) for each in stages)):
            check = replace(CHECK, waiting=1)
            assert message("check", check=check, settings=settings, limit=E_LIMIT)


def effects() -> Iterator[EffectFacts]:
    """What differs beside the advice of a review of an intervention."""
    plain = EffectFacts(**vars(FACTS))
    ended = replace(plain, may_end=(0.5, 0.9), estimate=(0.7, 0.5, 0.9))
    yield replace(plain, studies=0, waiting=0, reports_to_read=0)
    yield replace(plain, needed=2)
    yield ended
    yield replace(ended, waiting=0, reports_to_read=0)


def test_every_branch_of_a_review_of_an_intervention() -> None:
    plain = EffectSettings(SEARCH.payoffs, SEARCH.cost, plus="Adopt", minus="Don’t adopt", delta=0.8)
    named = replace(plain, outcome="stroke", baseline=0.2, full_cost=0.01)
    added = replace(named, delta=1.2, above=True, stages=1, full_cost=0.0, engine="normal")
    others = [
        replace(plain, measure=measure, baseline=None) for measure in ("RR", "RD", "MD", "SMD", "generic")
    ]
    message = EFFECT.message
    with every_branch(message):
        for settings in (plain, named, added, *others, replace(others[-1], ratio=True)):
            assert said(message, of_settings(settings))
            for name in ("measure", "smallest", "threshold", "engine", "pooled_what"):
                assert message(name, settings=settings)
        for facts, settings in product(effects(), (plain, named, added)):
            assert message("settings_beyond", facts=facts)
            if facts.estimate:
                assert message("estimate", facts=facts, settings=settings)
            for advice in situations(facts):
                for changed in (advice, replace(advice, depth=60, more=0)):
                    assert said(message, of_advice(settings, changed))
                    assert message("how_right", advice=changed, settings=settings)
                    message("incomplete", advice=changed, settings=settings)
        belief = SimpleNamespace()
        ends = [0.7, 0.5, 0.9, 0.3, 1.2]
        assert message("pooled_so_far", settings=named, studies=4, ends=ends, belief=belief)


def test_a_review_of_accuracy_is_worded_whichever_review_was_worded_first() -> None:
    cache = SENTENCES.cache
    assert cache is not None
    cache.clear()
    accuracy = Messages(REVIEW.message.path, **REVIEW.message.functions)
    effect = Messages(EFFECT.message.path, accuracy)
    assert effect("otherwise", settings=ACCURACY)
    assert accuracy("protocol", settings=ACCURACY, plan=plan())


def of_recall() -> Iterator[tuple[EnoughSettings, Advice]]:
    """Advice where nothing is weighed, by every kind of rule."""
    found = replace(FOUND, most=60)
    by_two = [replace(found, overlooked=overlooked) for overlooked in READ_TWICE]
    rules = ("few-left", "audit", "consecutive", "screen-everything")
    for policy, facts, learns in product(
        rules, (FOUND, found, replace(FOUND, relevant=0), NEARLY, NONE_LEFT, *by_two), (False, True)
    ):
        settings = EnoughSettings(policy=policy, learns=learns)
        for advice in situations():
            if advice.headline in ("continue", "stop", "all read"):
                yield settings, replace(advice, facts=facts)
                yield settings, replace(advice, facts=facts, depth=advice.documents, more=0)


def test_every_branch_where_nothing_is_weighed() -> None:
    check = Check(60, 9, 21, 12, EvidenceAgainst(14, 0.4, 2.0))
    with every_branch(ENOUGH.message):
        before = None
        for settings, advice in of_recall():
            advised = {"advice": advice, "settings": settings}
            values: Values = [(name, advised) for name in "says now rests why stopping incomplete".split()]
            facts = {"facts": advice.facts}
            values += [("recall", facts | {"settings": settings}), ("unread", facts)]
            values += [("found", {"advice": advice}), ("read", {"advice": advice}), ("nothing_further", {})]
            if settings != before:
                before, own = settings, {"settings": settings}
                values += [(it, own) for it in "promise aim question otherwise hope chance_column".split()]
                values += [("check", {"check": check, "limit": E_LIMIT, **own})]
                values += [("protocol", {"plan": plan(), **own})]
            assert not WEIGHED.search(" ".join(said(ENOUGH.message, values)))


def shared() -> Values:
    """Sentences about advice that no scenario passes on alone."""
    pounds = replace(SEARCH, payoffs=SEARCH.payoffs.scaled(20_000, "£"), plus="Reject", minus="Grant")
    uncited = replace(next(situations()), headline="stop", go_on=False, option=MINUS, b=0.9)
    for rule, advice in product(("greedy", "optimal", "smooth:K=5", "batch:K=10"), situations()):
        for settings in (replace(pounds, policy=rule), replace(SEARCH, policy=rule)):
            yield "brief", {"advice": advice, "settings": settings}
            yield "chance", {"advice": advice, "settings": settings, "question": "it is so"}
            if not advice.settled:
                for name, why in (("compared", "Nothing."), ("stop", "Nothing."), ("pays", "Nothing.")):
                    where = {"compared": "instead", "stop": "not_worth_it", "pays": "worth_nothing"}[name]
                    yield name, {"advice": advice, "settings": settings, where: why}
    for advice in situations():
        for documents in ([], ["#3"], ["#3", "#12"]):
            yield "settled", {"documents": documents}
            if advice.settled:
                yield "why_settled", {"advice": advice, "settings": SEARCH, "documents": documents}
                yield "says_settled", {"advice": advice, "documents": documents}
        yield "alone", {"advice": advice}
        for learns, next_find in product((True, False), (None, (1, 4), (20, 90))):
            settings, going = replace(ACCURACY, learns=learns), replace(advice, next_find=next_find)
            if advice.go_on:
                yield "plan", {"advice": going, "settings": settings, "nothing": "nothing"}
                yield "brief", {"advice": going, "settings": settings}
            for held_by in (None, Floor.STUDIES):
                held = replace(going, held_by=held_by)
                yield "read_on", {"advice": held, "settings": settings, "nothing": "nothing"}
            yield "best_plan", {"advice": advice, "settings": settings}
            weighing = replace(settings, policy="optimal")
            for gain in (0.02, settings.cost):
                ahead = replace(advice, go_on=True, worth=None, gain=gain)
                yield "pays", {"advice": ahead, "settings": weighing, "worth_nothing": "Nothing."}
            over = replace(advice, go_on=False, worth=None)
            yield "pays", {"advice": over, "settings": weighing, "worth_nothing": "Nothing."}
            for held_by, pays in product((None, Floor.STUDIES), (True, False)):
                lost = replace(advice, go_on=True, gain=-0.02, held_by=held_by, plan_pays=pays)
                for stakes, name in product((settings, pounds), ("best_plan", "read_on")):
                    nothing = {"nothing": "nothing"} if name == "read_on" else {}
                    yield name, {"advice": lost, "settings": stakes} | nothing
        for settings in (pounds, replace(SEARCH, needs_citation=False)):
            yield "stopping", {"advice": advice, "settings": settings}
            yield "now", {"advice": advice, "settings": settings}
        for variations in ((), DOUBTS, (replace(DOUBTS[0], go_on=advice.go_on, option=advice.option),)):
            yield "robust", {"advice": replace(advice, variations=variations)}
            yield "assumptions_matter", {"advice": replace(advice, variations=variations)}
        for *at_other_costs, finds, waits in product((True, False), repeat=4):
            others = tuple(
                Variation(
                    *(Assumption(cost_factor=factor), go_on, 20 if go_on else 0),
                    option=MINUS,
                    finds=finds,
                    reports=int(waits and go_on),
                )
                for factor, go_on in zip((0.1, 10.0), at_other_costs, strict=True)
            )
            yield "at_other_stakes", {"advice": replace(advice, variations=others)}
        for taken in (replace(advice, option=MINUS), replace(advice, option=PLUS)):
            yield "against_the_odds", {"advice": taken, "settings": pounds, "question": "it is so"}
    yield from (("instead", {"outcome": outcome, "settings": SEARCH}) for outcome in DOUBTS)
    for name, of in product(("stopping", "now"), (SEARCH, SEVERAL)):
        yield name, {"advice": uncited, "settings": of}
    for at, of in product(
        (uncited.b, SEARCH.payoffs.q_star - 1e-4, SEARCH.payoffs.q_star), (SEARCH, SEVERAL)
    ):
        yield "chance", {"advice": replace(uncited, b=at), "settings": of, "question": "it is so"}
    for assumption in (HALVED, EARLIER, Assumption(chance_factor=2)):
        yield "assumption", {"assumption": assumption, "settings": SEARCH, "likely": "be relevant"}
    yield "says_alone", {}
    yield "not_worth_it", {}
    yield "free", {}
    yield "overlooked", {}
    yield "too_dear", {"cost": 2.0, "most": 1.0, "unit": "£"}


def of_endings() -> Values:
    """What stands at the end of a session, and whether the chances fitted."""
    bases = (Basis(), Basis(depth=3, studies=2, spent=6.0, belief=0.3), Basis(depth=3))
    for basis in (*bases, Basis(spent=6.0)):
        unit = replace(SEARCH, payoffs=SEARCH.payoffs.scaled(9, "£"))
        yield "ended", {"basis": basis, "settings": unit, "question": "it is so"}
    for word, action, stopped in product(("", "STOP"), ("", "Grant"), (True, False)):
        yield "advised", {"word": word, "action": action, "stopped": stopped}
    for stopped, otherwise in product((True, False), (True, False)):
        yield "overridden", {"chosen": "Grant", "stopped": stopped, "otherwise": otherwise}
    yield "ended", {"basis": Basis(depth=3, recall=0.9), "settings": SEARCH, "question": "it is so"}
    for facts, learns in product((FOUND, replace(FOUND, relevant=0), NONE_LEFT), (False, True)):
        yield "unread", {"facts": facts}
        values = {"check": CHECK, "settings": EnoughSettings(learns=learns), "limit": E_LIMIT}
        yield "fit_of_list", {**values, "waits_for": "a verdict", "sought": "included"}
    for read in (0, 4):
        yield "unchecked", {"read": read}
    for evidence, (unsure, waiting, read) in product(
        EVIDENCE, ((0, 0, 60), (2, 0, 60), (0, 1, 1), (2, 3, 60))
    ):
        check = replace(CHECK, unsure=unsure, waiting=waiting, read=read, evidence=evidence)
        values = {"check": replace(check, low=21) if waiting else check, "limit": E_LIMIT}
        yield "fit", {**values, "settings": SEARCH, "waits_for": "confirmation"}
    yield "rescaled", {"scale": 0.37, "check": CHECK}


def test_every_branch_of_what_scenarios_share() -> None:
    with every_branch(advice_message):
        assert len(said(advice_message, shared())) > 100 and len(said(advice_message, of_endings())) > 20


def record() -> Values:
    """Sentences for a protocol, for draws, and for a session that came in a file."""
    yield "recall", {"sure": "95 %", "relevant": 0, "most": 0}
    yield "recall", {"sure": "95 %", "relevant": 0, "most": 7}
    yield "recall", {"sure": "95 %", "relevant": 5, "most": 7}
    for belief in (None, 0.54):
        yield "not_as_in_session", {"names": ["prior", "model"], "belief": belief}
    yield "drawn", {"every": 10, "documents": 4, "hits": 1}
    for found, weighs in product(READ_TWICE, (False, True)):
        yield from (("not_found", {"found": found}), ("overlooked", {"found": found, "weighs": weighs}))
    for late, own in product((0, 2), (0, 1)):
        yield "set_aside", {"late": late, "own": own}
    yield "set_aside_first", {"aside": "2 documents (too late)"}
    flags = ("own", "own_unknown", "late", "unsure", "earlier", "unclear")
    for count in (0, 1, 2):
        yield "flagged", dict.fromkeys(flags, count)
    yield "flagged", dict.fromkeys(flags, 0) | {"own_unknown": True}
    for count in (1, 2):
        yield from ((name, {"documents": count}) for name in ("moved_aside", "moved_back"))
        for name in ("repeated", "same", "together", "apart", "near"):
            yield "merged", {name: count}
        yield "joined", {"documents": 3, "source": "b.csv", "duplicates": count, "alike": count}
    yield "joined", {"documents": 3, "source": "b.csv", "duplicates": 0, "alike": 0}
    yield "audit", {"every": 10, "sure": "95 %"}
    costs = {"fewest": 20, "first": {0.8: 80, 0.95: 88}, "most": 2, "last": {0.8: 60, 0.95: 75}}
    yield "price", {"relevant": 50, "documents": 90, **costs}
    for follow in (False, True):
        yield "calibrator", {"calibrator": CALIBRATOR, "follow": follow}
    learning = replace(ACCURACY, learns=True, words_for="hip", words_against="cost", weighs_scores=True)
    ranker = {"ranker": RANKERS[DEFAULT], "every": 10, "further": 0.1, "features": 2}
    for settings, seed in ((ACCURACY, None), (learning, 5)):
        yield "learning", {"settings": settings, **ranker, "seed": seed}
    asked = {"question": "it is so", "moved_by": "document"}
    full = plan(sources=["a.ris"], duplicates=3, query="hinge", order="By likeness", registered=False)
    unsure = replace(SEARCH, payoffs=SEARCH.payoffs.scaled(9, "£"), kappa=0.9, s=0.9)
    for settings, written in (
        *((each, plan()) for each in (SEARCH, SEVERAL)),
        (unsure, full),
        (replace(learning, readers=Readers(("Ann", "Ben"))), plan(second="all")),
        (replace(learning, readers=Readers(("Ann", "Ben"), full_texts=True)), plan(second="all")),
    ):
        yield "protocol", {"settings": settings, "plan": written, **asked}
    came = {"when": "today", "source": "a.json", "by": "Ann", "entries": 9, "readers": ["Lee"]}
    late, early = (3, "later than the import"), (4, "before TARstop existed")
    for before, own, faults, faulty in ((0, 0, [], 0), (1, 1, [late], 1), (2, 3, [late, early], 4)):
        entries = {**came, "before": before, "own": own, "faults": faults, "faulty": faulty}
        yield "imported", entries
        yield "imported", {**entries, "by": "", "entries": before, "readers": []}
    for last, decided in ((1, ""), (2, "Grant")):
        named = {"session": "Hinge", "rule": "Greedy"}
        yield "duplicated", {"first": 1, "last": last, "decided": decided, **named}


def test_every_branch_of_the_record() -> None:
    with every_branch(record_message):
        assert all(record_message(name, **values) for name, values in record())


def test_a_scenario_has_a_sentence_wherever_the_other_has_one() -> None:
    parts = {"patent": PATENT, "review": REVIEW}
    macros = {name: {key for key in dir(it.message.macros) if key[0] != "_"} for name, it in parts.items()}
    assert macros["patent"] - {"cites", "confirms", "precedes"} <= macros["review"]


def test_a_glance_is_two_short_sentences_and_a_line() -> None:
    """What it says is read after every label, so there is little of it; Why has the rest."""
    short = replace(ACCURACY, plus="Adopt", minus="Don’t adopt", floor_studies=5)
    told = [
        verdict(replace(advice, gain=gain), settings)
        for settings, advice in [
            *product((SEARCH, replace(SEARCH, policy="greedy")), situations()),
            *((short, advice) for facts in reviews() for advice in situations(facts)),
            *of_recall(),
        ]
        for gain in (0.0, 0.02, -0.02)
    ]
    for each in told:
        sentences = re.split(r"(?<=\.) (?=[A-Z“])", unbroken(each.says))
        assert len(sentences) <= 2, each.says
        assert max(len(sentence.split(" ")) for sentence in sentences) <= 18, each.says
        assert len(unbroken(f"{each.now} {each.rests}").split(" ")) <= 25, each.now + each.rests


def test_no_worth_has_no_multiple() -> None:
    free = replace(next(situations()), worth=None)
    assert in_brief(free, SEARCH)[-1] == "about 6 more"
