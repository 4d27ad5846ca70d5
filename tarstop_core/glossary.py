"""What every word of the interface means, in one to three sentences.

A term does not repeat what stands elsewhere: its formula and source are those of :mod:`tarstop_core.teaching.methods`, and a
rule's are the rule's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tarstop_core.policies import POLICIES
from tarstop_core.teaching.methods import formulas


@dataclass(frozen=True)
class Term:
    """One word.

    Parameters
    ----------
    key : str
        Names it in addresses.
    name : str
        As the interface says it.
    meaning : str
        One to three sentences; plain words first.
    symbol : str
        LaTeX; "" without one.
    also : tuple of str
        Other names, found by the search.
    explained : str
        Key of a formula (:func:`tarstop_core.teaching.methods.formulas`), or of a rule, that has formula and source.
    origin : str
        Publication or practice, where no formula says it.
    related : tuple of str
        Keys of other terms.
    idea : str
        What the switch of "Ideas in pictures" calls the idea that shows it.
    """

    key: str
    name: str
    meaning: str
    symbol: str = ""
    also: tuple[str, ...] = ()
    explained: str = ""
    origin: str = ""
    related: tuple[str, ...] = ()
    idea: str = ""

    @property
    def formula(self) -> str:
        """LaTeX, or ""."""
        known = formulas().get(self.explained)
        if known:
            return known.formula
        return POLICIES[self.explained].formula if self.explained in POLICIES else ""

    @property
    def source(self) -> str:
        """Its place in the paper or its publication, or ""."""
        if self.origin:
            return self.origin
        known = formulas().get(self.explained)
        if known:
            return known.source
        return POLICIES[self.explained].source if self.explained in POLICIES else ""

    def says(self, words: str) -> bool:
        """Whether all these words occur in it."""
        text = " ".join((self.name, self.meaning, self.key, *self.also)).casefold()
        return all(word in text for word in words.casefold().split())


_WRITTEN: tuple[Term, ...] = (
    # --- reading a list
    Term(
        "screening",
        "Screening",
        "Reading a list of documents one after the other and saying of each whether it is relevant.",
        also=("screened",),
        related=("ranking", "stopping-rule", "recall"),
    ),
    Term(
        "document",
        "Document",
        "One entry of the list: a patent publication, or title and abstract of a report.",
        also=("record",),
        related=("report", "screening"),
    ),
    Term(
        "collection",
        "Collection",
        "The documents that were brought in for one question, exact duplicates merged.",
        also=("list",),
        related=("ranking", "duplicate"),
    ),
    Term(
        "duplicate",
        "Duplicate",
        "A record that another file brought too. Exact duplicates are merged on import and counted for the PRISMA diagram.",
        related=("prisma",),
    ),
    Term(
        "ranking",
        "Ranking",
        "The order in which the documents are read: the list's own, that of its scores, or by BM25 against a claim or a sentence.",
        related=("bm25", "score-of-document", "run"),
    ),
    Term(
        "score-of-document",
        "Score",
        "How well a document matches the query. Only differences within a list mean something, so scores are standardised before "
        "they become chances.",
        symbol="v_k",
        explained="z-score",
        related=("calibrator", "bm25"),
    ),
    Term(
        "bm25",
        "BM25",
        "A common way to score documents by the words they share with a query.",
        explained="bm25",
        related=("ranking",),
    ),
    Term(
        "relevant",
        "Relevant",
        "What a reader is looking for. In a patent search one relevant document settles the question; in a review a relevant report is "
        "read in full.",
        also=("hit",),
        related=("unsure", "confirmed", "grade"),
    ),
    Term(
        "unsure",
        "Unsure",
        "Read without a verdict: it costs, it counts as read, it leaves the belief as it is, and it waits in a list to be settled.",
        explained="belief",
        related=("relevant", "belief"),
    ),
    Term(
        "confirmed",
        "Confirmed hit",
        "A relevant document counts once it has been looked at again. Until then both worlds are shown: if it holds, and if it does not.",
        also=("provisional",),
        explained="belief",
        related=("relevant", "paper-mode"),
    ),
    Term(
        "grade",
        "Grade X, Y or A",
        "As in a search report: X settles the question alone, Y in combination with another document, A is background. Only X, or two Y "
        "together, count as a hit.",
        explained="grades",
        also=("category",),
        related=("relevant", "decisive"),
    ),
    Term(
        "priority-date",
        "Priority date",
        "The day that counts when asking what was known before. A document published after it cannot be prior art and is flagged.",
        origin="European Patent Convention, Articles 54 and 89",
        related=("patent-family", "grade"),
    ),
    Term(
        "patent-family",
        "Patent family",
        "Publications of one invention in several countries. Family members say the same once, and the application's own family is no "
        "prior art against it.",
        origin="practice of patent offices (simple family: same priorities)",
        related=("priority-date",),
    ),
    Term(
        "run",
        "Run",
        "A file with ranked documents by topic, in the format of the TREC conferences.",
        origin="TREC",
        related=("qrels", "topic"),
    ),
    Term(
        "qrels",
        "Qrels",
        "A file that says which documents are relevant to which topic.",
        also=("judgments",),
        origin="TREC",
        related=("run", "topic"),
    ),
    Term("topic", "Topic", "One question with its list of documents.", related=("run", "outcome")),
    # --- what is at stake
    Term(
        "decision",
        "Decision",
        "What the reading is for: to reject or grant, to file or not, to adopt a test or not. One of two actions, under one of two states.",
        also=("action", "a+", "a-", "omega", "state"),
        symbol=r"a^{\pm},\ \omega^{\pm}",
        explained="payoffs",
        related=("payoffs", "q-star"),
    ),
    Term(
        "payoffs",
        "Consequences",
        "What right and wrong decisions bring: a benefit and a gain if right, two losses if wrong, in your own unit.",
        symbol="B, L_r, L_g, G",
        also=("payoff", "stakes", "utility"),
        explained="payoffs",
        related=("q-star", "cost", "net-utility"),
    ),
    Term(
        "cost",
        "Cost per document",
        "What reading one more document costs, in the unit of the consequences: money, minutes, or a share of K.",
        symbol="c",
        also=(
            "cost",
            "cost of a document",
        ),
        origin="Fletcher & Stevenson, Methods, Framework",
        related=("payoffs", "full-cost"),
    ),
    Term(
        "q-star",
        "How sure before you act",
        "The belief above which the bold action is the better one. The worse a wrong bold action is, the surer you have to be.",
        symbol=r"q^{\ast}",
        also=("q*", "threshold"),
        explained="q-star",
        related=("payoffs", "belief", "evpi"),
        idea="Certainty",
    ),
    Term(
        "utility-of-action",
        "Expected utility",
        "What an action is expected to bring, given how likely each state is.",
        symbol="EU",
        explained="expected-utility",
        related=("payoffs", "belief"),
    ),
    Term(
        "citation",
        "Needs a document to cite",
        "Nobody can reject an application without a citation, so before a hit only the other action is open. Switched on in patent "
        "sessions of your own.",
        explained="citation",
        related=("decision", "paper-mode"),
    ),
    # --- belief
    Term(
        "belief",
        "Belief",
        "How likely it is that the bold action is right, given what was read: the chance that prior art exists, or that sensitivity "
        "exceeds the threshold.",
        symbol="b_d",
        also=("chance that prior art exists", "chance that sensitivity exceeds", "belief by study"),
        explained="belief",
        related=("b-0", "q-star", "evpi"),
    ),
    Term(
        "b-0",
        "Chance before any document",
        "The belief before anything was read. The paper starts at one half; a prior learned from past reviews may start elsewhere.",
        symbol="b_0",
        also=("b0", "prior belief", "starting chance"),
        explained="belief",
        related=("belief", "prior"),
    ),
    Term(
        "chance",
        "Chance of a document",
        "How likely a document is to be relevant if there is something to find; in a review, to bring data or to be included.",
        symbol="p_k",
        also=("probability",),
        explained="isotonic",
        related=("calibrator", "rho"),
        idea="Wrong chances",
    ),
    Term(
        "rho",
        "Chance of a hit",
        "How likely the next document is to be a hit, all told: its chance if there is something to find, times the belief that there is.",
        symbol=r"\rho_{d+1}",
        explained="rho",
        related=("chance", "belief", "score"),
    ),
    Term(
        "decisive",
        "Decisive evidence",
        "Evidence of which one piece settles the question, as prior art does.",
        explained="survival",
        related=("cumulative", "grade"),
    ),
    Term(
        "cumulative",
        "Cumulative evidence",
        "Evidence that adds up: each study moves the belief somewhat, none settles it.",
        explained="model",
        related=("decisive", "table-2x2"),
        idea="Studies",
    ),
    Term(
        "kappa",
        "Could it be missing from this list?",
        "The chance that a deciding document, if there is one, is in the list at all. Below 1, even a list read to its end leaves doubt.",
        symbol=r"\kappa",
        also=("coverage", "kappa"),
        explained="kappa",
        related=("reading", "belief"),
    ),
    Term(
        "reading",
        "Would I recognise it?",
        "The chance that a reader who sees a relevant document recognises it as one.",
        symbol="s",
        also=("reading sensitivity",),
        explained="reading",
        related=("kappa",),
    ),
    Term(
        "frailty",
        "Frailty",
        "In a hard topic all hits lie low in the list, so misses go together and say less than they would each alone.",
        symbol="a",
        explained="frailty",
        related=("calibrator", "hazard", "dispersion"),
    ),
    # --- value
    Term(
        "evpi",
        "The most that certainty could be worth now",
        "The expected value of perfect information: what the better action is still expected to lose to knowing the truth.",
        symbol="EVPI",
        also=("EVPI", "the most certainty could be worth now", "expected value of perfect information"),
        explained="evpi",
        related=("q-star", "evsi", "score"),
        idea="Certainty",
    ),
    Term(
        "evsi",
        "Worth of a document or study",
        "The expected value of sample information: what reading one more, and then acting, is expected to add.",
        symbol="EVSI",
        also=("EVSI", "expected value of sample information", "value of more studies"),
        explained="evsi",
        related=("evpi", "worth", "score"),
        idea="One document",
    ),
    Term(
        "score",
        "The paper's score",
        "The chance that the next document is a hit, times the worth of certainty now. The paper goes on while it exceeds the cost.",
        symbol=r"\rho\thinspace EVPI",
        explained="score",
        related=("evpi", "greedy", "evsi"),
        idea="One document",
    ),
    Term(
        "worth",
        "Worth of the next documents",
        "What the best plan is expected to gain, for each document that it is expected to read. Going on pays while it exceeds the cost.",
        explained="worth",
        related=("plan-value", "optimal", "evsi"),
        idea="One document",
    ),
    Term(
        "plan-value",
        "Value of a plan",
        "What “screen until a hit, at most so many” is expected to bring, cost included.",
        symbol="J(D)",
        explained="plan",
        related=("worth", "optimal"),
    ),
    Term(
        "look-ahead-horizon",
        "Looking ahead",
        "Weighing plans of several documents instead of the next one alone: one miss may change nothing where five would.",
        also=("horizon",),
        explained="optimal-stopping",
        related=("look-ahead", "optimal", "worth"),
        idea="One document",
    ),
    Term(
        "stopping-rule",
        "Stopping rule",
        "What says after each document whether to go on. Some weigh worth against cost, others count or estimate recall.",
        also=("approach", "rule", "policy", "method"),
        related=("greedy", "optimal", "baseline"),
    ),
    Term(
        "baseline",
        "Baseline",
        "A rule that others are compared with: it looks at labels and chances alone, whatever is at stake.",
        origin="Fletcher & Stevenson, Evaluation",
        related=("budget", "qbcb", "knee", "grlstop"),
    ),
    Term(
        "depends",
        "Depends on assumptions",
        "The advice does not survive all chances halved or doubled, or another starting chance. The page says which.",
        explained="robust",
        related=("belief", "calibrator"),
    ),
    # --- calibration
    Term(
        "calibrator",
        "Calibrator",
        "Turns a document's score or rank into a chance, as past labelled lists teach it. It says what it was fitted on.",
        explained="isotonic",
        related=("calibration", "chance", "rank-calibrator"),
    ),
    Term(
        "calibration",
        "Calibration",
        "Chances are calibrated if, of the documents said to be relevant with 20 %, one in five is.",
        also=("miscalibration",),
        explained="ece",
        related=("calibrator", "brier", "reliability", "ece"),
        idea="Wrong chances",
    ),
    Term(
        "isotonic",
        "Isotonic regression",
        "The rising step function that fits best: a better score never gets a lower chance.",
        explained="isotonic",
        related=("calibrator",),
    ),
    Term(
        "hazard",
        "Hazard calibrator",
        "Gives the chance that a document is the first hit if none came before, instead of the chance that it is relevant.",
        symbol="h_k",
        explained="kinds",
        related=("frailty", "calibrator"),
    ),
    Term(
        "rank-calibrator",
        "Rank calibrator",
        "Gives chances by rank alone, for lists that have an order but no scores.",
        explained="kinds",
        related=("calibrator", "ranking"),
    ),
    Term(
        "first-hit",
        "First-hit model",
        "A curve of when the first relevant document comes, learned from cases that a person remembers: “at rank 4”, “none in the first 60”.",
        explained="first-hit",
        related=("censored", "hazard", "calibrator"),
    ),
    Term(
        "censored",
        "Censored case",
        "A case of which only a bound is known: “none in the first 60” says that the first hit, if any, lies further down.",
        also=("censoring",),
        explained="first-hit",
        related=("first-hit",),
    ),
    Term(
        "brier",
        "Brier score",
        "Mean squared difference between chances and what was found. Smaller is better; 0 is perfect.",
        explained="brier",
        related=("ece", "reliability"),
    ),
    Term(
        "ece",
        "Expected calibration error",
        "How far, on average, the share found relevant lies from the chance that was given.",
        also=("ECE", "calibration error"),
        explained="ece",
        related=("brier", "reliability"),
    ),
    Term(
        "reliability",
        "Reliability diagram",
        "Chances as they were given, against the share found relevant. On the diagonal they mean what they say.",
        explained="ece",
        related=("ece", "calibration"),
    ),
    Term(
        "dispersion",
        "Dispersion",
        "How much lists' numbers of relevant documents vary around what the chances predict.",
        symbol="a",
        explained="dispersion",
        related=("unseen", "live-check", "frailty"),
    ),
    Term(
        "unseen",
        "Probably still unread",
        "How many relevant documents are expected among those not read, with an interval. Many may be unread although none could change the decision.",
        also=("relevant documents probably still unread",),
        explained="unseen",
        related=("recall", "otherwise"),
    ),
    Term(
        "live-check",
        "Live check",
        "“Expected 9 to 21 relevant by now, found 3”: whether the chances fit this list. One click multiplies them so that they do; the log says so.",
        also=("rescaling", "expected by now", "do the chances fit?"),
        explained="live-check",
        related=("calibration", "dispersion"),
    ),
    # --- reviews
    Term(
        "table-2x2",
        "2×2 table",
        "Counts of one study: true and false positives, false and true negatives.",
        symbol=r"TP, FP, FN, TN",
        also=("2x2", "contingency table"),
        explained="model",
        related=("sensitivity", "specificity"),
    ),
    Term(
        "sensitivity",
        "Sensitivity",
        "The share of diseased patients that the test finds.",
        symbol=r"\frac{TP}{TP+FN}",
        origin="standard definition",
        related=("specificity", "theta", "pooled"),
    ),
    Term(
        "specificity",
        "Specificity",
        "The share of healthy patients that the test leaves alone. One minus it is the false-positive rate.",
        symbol=r"\frac{TN}{TN+FP}",
        also=("false-positive rate",),
        origin="standard definition",
        related=("sensitivity",),
    ),
    Term(
        "theta",
        "Sensitivity to exceed",
        "The threshold that pooled sensitivity has to exceed for the test to be adopted.",
        symbol=r"\theta",
        also=("theta",),
        explained="model",
        related=("pooled", "belief"),
    ),
    Term(
        "pooled",
        "Pooled sensitivity",
        "Sensitivity in the middle of the studies: the mean of their logits, not the share in all patients together.",
        symbol=r"\mathrm{expit}\thinspace \mu_1",
        also=("summary sensitivity",),
        explained="model",
        related=("heterogeneity", "theta"),
    ),
    Term(
        "heterogeneity",
        "Heterogeneity",
        "How far studies differ from each other beyond chance. More patients in each study do not reduce it; more studies average it out.",
        symbol=r"\tau",
        also=("tau", "between-study"),
        explained="prior",
        related=("prior", "pooled"),
        idea="Studies",
    ),
    Term(
        "engine",
        "Engine",
        "How a belief is computed from tables: exactly with both margins (the default), exactly from sensitivity alone, or by REML.",
        explained="bivariate",
        related=("reitsma", "reml", "prior"),
        idea="Studies",
    ),
    Term(
        "reitsma",
        "Bivariate (Reitsma) model",
        "The usual model of sensitivity and specificity together, varying between studies and correlated.",
        also=("bivariate", "table for RevMan"),
        explained="reml",
        related=("reml", "engine", "sroc"),
    ),
    Term(
        "reml",
        "REML",
        "Restricted maximum likelihood: how meta-analysis software usually fits the bivariate model. It needs three studies.",
        explained="reml",
        related=("reitsma", "continuity"),
    ),
    Term(
        "continuity",
        "Continuity correction",
        "Half a patient added to the cells of a study with a zero, so that its logit is finite. It pulls sensitivities towards one half.",
        explained="reml",
        related=("reml",),
    ),
    Term(
        "prior",
        "Prior",
        "What is believed of sensitivity, and of how far studies differ, before any study.",
        explained="prior",
        related=("b-0", "heterogeneity", "learned-prior"),
    ),
    Term(
        "learned-prior",
        "Learned prior",
        "A prior under which past reviews are most probable. It says what it was learned from.",
        explained="learned-prior",
        related=("prior", "b-0"),
    ),
    Term(
        "posterior",
        "Posterior",
        "What is believed after the studies.",
        also=("prior and posterior",),
        explained="posterior",
        related=("prior", "belief"),
    ),
    Term(
        "leave-one-out",
        "Leave one out",
        "The belief without each study in turn: whether one study alone decides.",
        explained="without",
        related=("belief", "heterogeneity"),
    ),
    Term(
        "forest",
        "Forest plot",
        "Each study's sensitivity and specificity with its interval, one below the other.",
        also=("forest",),
        explained="forest",
        related=("sensitivity", "sroc"),
    ),
    Term(
        "sroc",
        "SROC plot",
        "Studies in the plane of false-positive rate and sensitivity, with the summary point and the summary curve through it.",
        also=(
            "SROC",
            "summary roc",
        ),
        explained="sroc",
        related=("prediction-region", "reitsma"),
    ),
    Term(
        "prediction-region",
        "Prediction region",
        "Where the true rates of 95 % of new studies lie. The confidence region, inside it, says where the summary lies.",
        also=("confidence region",),
        explained="regions",
        related=("sroc", "heterogeneity"),
    ),
    Term(
        "two-stages",
        "Two stages",
        "Title and abstract first, then the report in full. Including one queues its report; only a table from a report that was read in full moves the belief.",
        explained="review-plan",
        related=("report", "data-share", "full-cost"),
    ),
    Term(
        "report",
        "Report",
        "The full text behind a title and abstract. Several reports may tell of one study.",
        also=("full text",),
        origin="Page et al. 2021 (PRISMA 2020)",
        related=("two-stages", "waiting"),
    ),
    Term(
        "waiting",
        "Waiting report",
        "Included by title and abstract, not read in full yet. No rule says stop while waiting reports could change the decision.",
        explained="otherwise",
        related=("report", "two-stages"),
    ),
    Term(
        "data-share",
        "Share of reports with data",
        "How many of the reports read in full bring a 2×2 table.",
        also=("included reports that bring data",),
        symbol=r"\pi",
        explained="data-share",
        related=("two-stages", "waiting"),
    ),
    Term(
        "full-cost",
        "Cost of reading in full",
        "What reading a report in full costs, beside the cost of its title and abstract.",
        symbol=r"c_{\text{full}}",
        explained="review-plan",
        related=("cost", "two-stages"),
    ),
    Term(
        "otherwise",
        "Chance of another decision",
        "How likely it is that everything still unread would lead to the other action.",
        also=("chance that all that is left would choose otherwise",),
        explained="otherwise",
        related=("floor", "agreement", "unseen"),
    ),
    Term(
        "right-decision",
        "Chance of the right decision",
        "How likely it is that the action on stopping now is that of the truth the session is held against.",
        explained="otherwise",
        related=("floor", "otherwise", "truth"),
    ),
    Term(
        "floor",
        "Floor on being right",
        "The least chance of the right decision that you accept: no rule says stop before it is met.",
        explained="otherwise",
        related=("otherwise", "agreement"),
    ),
    Term(
        "n-0",
        "Worth of present knowledge",
        "How many studies like the next one the present knowledge is worth.",
        symbol="n_0",
        explained="n-0",
        related=("evsi", "heterogeneity"),
    ),
    Term(
        "outcome",
        "Outcome",
        "One question of a review with its own 2×2 tables. A review may have several, so they are not independent.",
        explained="truth",
        related=("topic", "table-2x2"),
    ),
    Term(
        "prisma",
        "PRISMA",
        "The flow diagram that says what became of every record. It gets a box for records not screened because of the stopping rule.",
        explained="prisma",
        related=("report", "duplicate"),
    ),
    # --- sessions
    Term(
        "session",
        "Session",
        "One list being read under settings, as a log of events: nothing is ever changed or removed, and undoing is an event.",
        related=("plan", "event"),
    ),
    Term(
        "event",
        "Event",
        "One line of a session's log: a label, a confirmation, a report, a change of settings.",
        related=("session",),
    ),
    Term(
        "plan",
        "Registered plan",
        "Rule, stakes and list, frozen before the first document. From then on other settings are a what-if.",
        also=("protocol", "pre-registration"),
        explained="plan-deviation",
        related=("deviation", "session"),
    ),
    Term(
        "deviation",
        "Deviation",
        "A change of a registered plan, confirmed with a reason that the report shows.",
        explained="plan-deviation",
        related=("plan",),
    ),
    Term(
        "paper-mode",
        "Paper mode",
        "Switches off what only a person's session needs, so that stopping depths are those of the paper's setting.",
        origin="the setting of Fletcher & Stevenson",
        related=("citation", "confirmed", "kappa"),
    ),
    Term(
        "simulated",
        "Simulated",
        "Made up by a program that says how. Simulated lists and results are marked wherever they are shown.",
        related=("benchmark",),
    ),
    # --- the experiment
    Term(
        "benchmark",
        "Benchmark",
        "Many labelled lists on which rules are tuned and tried.",
        related=("tuning", "topic"),
    ),
    Term(
        "net-utility",
        "Net utility",
        "What the decision brought under the truth, minus what was spent on reading.",
        symbol="U",
        explained="net-utility",
        related=("payoffs", "regret", "recall"),
        idea="Recall",
    ),
    Term(
        "recall",
        "Recall",
        "The share of all relevant documents that was found. High recall can be far from high utility.",
        symbol=r"\frac{C(d)}{R}",
        explained="recall",
        related=("net-utility", "unseen"),
        idea="Recall",
    ),
    Term(
        "regret",
        "Regret",
        "How much less net utility a rule brought than the best rule shown did on the same list.",
        explained="regret",
        related=("net-utility", "oracle"),
    ),
    Term(
        "icer",
        "ICER",
        "Documents more for each decision more that is right, compared with Greedy.",
        also=("incremental cost-effectiveness ratio",),
        explained="icer",
        related=("agreement", "greedy"),
    ),
    Term(
        "agreement",
        "Same decision as the truth",
        "The share of lists on which the action was the right one.",
        also=("decision agreement",),
        explained="agreement",
        related=("false-adopt", "false-reject"),
    ),
    Term(
        "false-adopt",
        "False adopt",
        "The bold action where it was wrong: an error of Type I. In patents it is called a false reject.",
        also=("type I",),
        explained="agreement",
        related=("false-reject", "q-star"),
    ),
    Term(
        "false-reject",
        "False reject",
        "The cautious action where the bold one was right: an error of Type II. In patents it is called a false grant.",
        also=("type II",),
        explained="agreement",
        related=("false-adopt", "q-star"),
    ),
    Term(
        "truth",
        "Truth",
        "What a decision is held against: that something relevant exists; in reviews pooled sensitivity, or what full evidence would choose.",
        explained="truth",
        related=("agreement", "outcome"),
    ),
    Term(
        "tuning",
        "Tuning",
        "Searching a rule's parameters on training lists; results are from other lists.",
        also=("grid search", "hyper-parameter"),
        explained="tuning",
        related=("benchmark",),
    ),
    Term(
        "interval",
        "Interval",
        "Where a number would lie if the experiment were repeated with other lists of the kind, 95 times in 100.",
        also=("confidence interval", "bootstrap"),
        explained="intervals",
        related=("benchmark",),
    ),
    Term(
        "map-ndcg",
        "MAP, NDCG, Recall@100",
        "How good a ranking is, as retrieval research measures it: whether relevant documents come early.",
        explained="ranking-metrics",
        related=("ranking", "recall"),
    ),
    Term(
        "break-even",
        "Break-even value",
        "The nearest value of a payoff, the cost or the starting chance at which the advice turns.",
        explained="tornado",
        related=("payoffs", "cost"),
    ),
)

# Rules are compared with those of their family.
_BESIDE = {
    "paper's policy": ("stopping-rule", "score"),
    "beyond the paper": ("stopping-rule",),
    "paper's baseline": ("baseline", "recall"),
    "reference": ("stopping-rule", "regret"),
}
_IDEAS = {"optimal": "One document", "greedy": "One document", "look-ahead": "One document"}


@lru_cache(maxsize=1)
def terms() -> dict[str, Term]:
    """All terms by key, in the order of their names; rules as they describe themselves."""
    rules = (
        Term(
            name,
            policy.title,
            policy.rule,
            explained=name,
            related=_BESIDE[policy.family],
            idea=_IDEAS.get(name, ""),
        )
        for name, policy in POLICIES.items()
    )
    every = sorted((*_WRITTEN, *rules), key=lambda term: term.name.casefold())
    return {term.key: term for term in every}


def found(words: str) -> list[Term]:
    """Terms in which all these words occur, those first in whose name they do.

    Examples
    --------
    >>> [term.key for term in found("brier")][0]
    'brier'
    """
    matching = [term for term in terms().values() if term.says(words)]
    return sorted(matching, key=lambda term: not _named(term, words))


def _named(term: Term, words: str) -> bool:
    return any(words.casefold().strip() in name.casefold() for name in (term.name, *term.also))


def named(words: str) -> Term | None:
    """The term that is called so on a page, whatever is added in brackets or behind a comma; None without one.

    Examples
    --------
    >>> [term and term.key for term in map(named, ("Net utility", "Batch(10)", "How sure before you act, q*", "Mast"))]
    ['net-utility', 'batch', 'q-star', None]
    >>> named("Chance that sensitivity exceeds 75 %").key
    'belief'
    """
    said = words.casefold().strip()
    names = _names()
    exact = names.get(said) or names.get(_ADDED.split(said)[0])
    if exact:
        return exact
    begun = [name for name in names if len(name) >= LONG_ENOUGH and said.startswith(name)]
    return names[max(begun, key=len)] if begun else None


_ADDED = re.compile(r"\s*[(,]")
LONG_ENOUGH = 20
"""Letters from which the beginning of a phrase is taken for the phrase."""


@lru_cache(maxsize=1)
def _names() -> dict[str, Term]:
    """Terms by everything that they are called; a name goes before another term's other name."""
    others = {name.casefold(): term for term in terms().values() for name in term.also}
    return others | {term.name.casefold(): term for term in terms().values()}
