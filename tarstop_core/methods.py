r"""Every formula, assumption and source, once: for the Learn page and for docs/methods.md.

`python -m tarstop_core.methods` prints the document. What a rule does is said by the rule itself
(:mod:`tarstop_core.policies`), its formula included.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from tarstop_core.policies import POLICIES, Parameter, Policy

PAPER = "Fletcher & Stevenson"
OWN = "not in the paper; derived here"


@dataclass(frozen=True)
class Formula:
    """One formula with what it rests on.

    Parameters
    ----------
    key : str
        Names it in addresses: ``formulas#key``.
    title : str
    formula : str
        LaTeX; "" where it is said in words.
    text : str
        Markdown, with formulas between dollars.
    source : str
        Its place in the paper, or its publication.
    assumption : str
        What is assumed because the source is silent; "" where nothing is.
    computed_by : tuple of str
        Functions and methods, below ``tarstop_core``.
    """

    key: str
    title: str
    formula: str
    text: str
    source: str
    computed_by: tuple[str, ...]
    assumption: str = ""


@dataclass(frozen=True)
class Section:
    """Formulas that belong together.

    Parameters
    ----------
    title, intro : str
    formulas : tuple of Formula
    """

    title: str
    intro: str
    formulas: tuple[Formula, ...]


DECISION = Section(
    "The decision",
    "Documents are read at a cost $c$ each to inform one binary action. $\\omega^+$ or $\\omega^-$ holds; one chooses "
    "$a^+$ or $a^-$. Payoffs and cost share a unit: money, hours, or shares of $K$.",
    (
        Formula(
            "payoffs",
            "Consequences",
            r"u(a^+,\omega^+)=B,\quad u(a^+,\omega^-)=-L_r,\quad u(a^-,\omega^+)=-L_g,\quad u(a^-,\omega^-)=G",
            "All four are above 0, and $K = B + L_g + G + L_r$. Dividing payoffs and cost by $K$ changes no decision; in all "
            "experiments $K = 1$, $B = L_g = (1-q^{\\ast})/2$ and $G = L_r = q^{\\ast}/2$.",
            f"{PAPER}, Methods, Framework",
            ("payoffs.Payoffs", "payoffs.Payoffs.normalised", "payoffs.Payoffs.from_q_star"),
        ),
        Formula(
            "expected-utility",
            "Expected utility of an action",
            r"EU(a^+|b) = bB - (1-b)L_r, \qquad EU(a^-|b) = -bL_g + (1-b)G, \qquad EU^{\ast}(b) = \max\lbrace EU(a^+|b), EU(a^-|b)\rbrace",
            "What an action is expected to bring at belief $b$, screening not subtracted.",
            f"{PAPER}, Methods, Framework",
            ("payoffs.Payoffs.utility_plus", "payoffs.Payoffs.utility_minus", "payoffs.Payoffs.utility"),
        ),
        Formula(
            "q-star",
            "How sure before you act",
            r"q^{\ast} = \frac{G + L_r}{K}, \qquad \text{choose } a^+ \text{ exactly if } b \gt q^{\ast}",
            "The belief at which both actions are worth the same.",
            f"{PAPER}, Methods, Framework",
            ("payoffs.Payoffs.q_star", "payoffs.Payoffs.chooses_plus", "payoffs.exceeds"),
            "At $b = q^{\\ast}$ one chooses $a^-$, and a difference below $10^{-12}$ is rounding: the paper's balanced start has "
            "$b_0 = q^{\\ast} = 0.5$ exactly.",
        ),
        Formula(
            "evpi",
            "Expected value of perfect information",
            r"EVPI(b) = \min\lbrace b(B+L_g),\ (1-b)(G+L_r)\rbrace",
            "What the better action is still expected to lose to knowing the truth. Greatest at $q^{\\ast}$.",
            f"{PAPER}, Methods, Framework",
            ("payoffs.Payoffs.evpi",),
        ),
        Formula(
            "questions",
            "From plain answers to stakes",
            r"q^{\ast} = \frac{r}{1+r}, \qquad \frac{c}{K} = \frac{\max(q^{\ast}, 1-q^{\ast})}{n}",
            "$r$: how many times worse a wrong $a^+$ is than a wrong $a^-$. $n$: how many documents one would read to avoid the worse "
            "mistake for certain. On Explore the cost of a document may also come from what an hour costs over documents an hour, "
            "and the worse mistake's cost fixes $K$; half of each mistake's cost then stands as a loss and half as a gain forgone, "
            "because only the sums decide.",
            OWN,
            ("payoffs.from_two_questions", "payoffs.to_two_questions", "explore.elicited"),
        ),
    ),
)

DECISIVE = Section(
    "Belief when one document decides",
    "In a patent search any relevant document makes the belief 1. Until one is found, every miss lowers it.",
    (
        Formula(
            "survival",
            "Chance of no hit yet",
            r"M_d = P(\text{no hit among the first } d \mid \omega^+) = \prod_{k=1}^{d} (1 - p_k)",
            "$p_k$ is the chance that document $k$ is relevant, given that there is something to find. Kept in logs.",
            f"{PAPER}, belief for decisive evidence",
            ("belief.decisive.hit_curve",),
        ),
        Formula(
            "belief",
            "Belief after d misses",
            r"b_d = \frac{b_0 M_d}{b_0 M_d + 1 - b_0}",
            "Bayes' rule. A confirmed hit makes it 1; a hit that waits for confirmation leaves it where it is, and the page shows both "
            "worlds. An unsure document counts as read and leaves the belief alone: its $1 - p$ is not multiplied in.",
            f"{PAPER}, belief for decisive evidence; provisional hits and unsure documents: {OWN}",
            ("belief.decisive.belief", "value.DecisivePath.belief_at"),
            "$b_0 = 0.5$ unless a person says otherwise.",
        ),
        Formula(
            "rho",
            "Chance that the next document is a hit",
            r"\rho_{d+1} = b_d\thinspace h_{d+1}, \qquad h_{d+1} = 1 - \frac{M_{d+1}}{M_d}",
            "With independent documents $h_{d+1} = p_{d+1}$.",
            f"{PAPER}, belief for decisive evidence",
            ("value.DecisivePath.rho",),
        ),
        Formula(
            "kappa",
            "Could it be missing from this list?",
            r"M_d \leftarrow 1 - \kappa\thinspace (1 - M_d)",
            "$\\kappa$ is the chance that a deciding document, if there is one, is in the list at all. 1 in paper mode.",
            OWN,
            ("belief.decisive.hit_curve",),
        ),
        Formula(
            "reading",
            "Would I recognise it?",
            r"p_k \leftarrow s\thinspace p_k",
            "$s$ is the chance that a reader who sees a relevant document recognises it. 1 in paper mode.",
            OWN,
            ("belief.decisive.hit_curve",),
        ),
        Formula(
            "frailty",
            "Frailty: misses go together",
            r"\Lambda_d = -\sum_{k\le d}\log(1-p_k), \qquad M_d = \left(1 + \frac{\Lambda_d}{a}\right)^{-a}",
            "A gamma variable of shape $a$ and mean 1, shared by the documents of a topic, multiplies all hazards: in a hard topic all "
            "hits lie low. $a \\to \\infty$ is the paper's model. Fitted by maximum likelihood on the depths of first hits.",
            OWN,
            ("belief.decisive.hit_curve", "calibration.fit"),
        ),
        Formula(
            "grades",
            "Grades of a search report",
            "",
            "Patent documents are graded X (settles the question alone), Y (in combination with another) and A (background). Only a "
            "confirmed X, or two Y that a person says settle it together, makes the belief 1; Y and A are misses to the engine.",
            OWN,
            ("session.replay",),
        ),
    ),
)

CALIBRATION = Section(
    "From scores to chances",
    "A calibrator turns a document's score, or only its rank, into a chance, and says what it was fitted on.",
    (
        Formula(
            "z-score",
            "Scores made comparable",
            r"z_k = \frac{v_k - \bar v}{\mathrm{sd}(v)}",
            "Within the topic; a topic whose scores are all the same has $z = 0$.",
            f"{PAPER}, calibration",
            ("calibration.z_scores",),
        ),
        Formula(
            "isotonic",
            "Marginal calibration",
            r"p_k = f(z_k), \qquad f = \arg\min_{f\ \text{rising}} \sum (y - f(z))^2",
            "One isotonic regression over the pooled training topics, constant beyond its ends. Patents: fitted on $\\omega^+$ topics, of "
            "being relevant. Reviews: of bringing extractable data, or of being included by title and abstract.",
            f"{PAPER}, calibration",
            ("calibration.fit", "calibration.Calibrator.probabilities"),
            "Plain isotonic regression, as in the paper; on request a step of $n$ documents with share $y$ becomes "
            "$(ny + \\bar y)/(n + 1)$, so that a step learned from two documents claims no certainty.",
        ),
        Formula(
            "kinds",
            "Other kinds",
            r"h_k = P(y_k = 1 \mid \omega^+,\ y_1 = \dots = y_{k-1} = 0)",
            "*Hazard*: the same regression on documents up to the first hit. *Rank*: a falling isotonic regression on log rank, each rank "
            "weighed by the lists that reach it. *Frailty*: marginal chances and one shape $a$.",
            OWN,
            ("calibration.fit",),
        ),
        Formula(
            "first-hit",
            "First hits from memory",
            r"S(k) = e^{-a k^w}, \qquad h_k = 1 - \frac{E\thinspace S(k)}{E\thinspace S(k-1)}, \qquad 0 \lt w \le 1",
            "Past cases such as “first relevant at rank 4” ($b\\thinspace (S(3)-S(4))$), “stopped after 60 without one” ($b\\thinspace S(60) + 1 - b$), "
            "“missed in 60” ($b\\thinspace S(60)$) and “none at all” ($1-b$) give a posterior over $m = 1 - S(10)$, $w$ and the share $b$ of cases in "
            "which there is something to find. Expectations are over that posterior.",
            "Discrete Weibull: Nakagawa & Osaki 1975; prior and censoring: " + OWN,
            (
                "first_hit.fit_first_hits",
                "first_hit.log_likelihood",
                "first_hit.come_by",
                "first_hit.weighted_quantiles",
                "first_hit.first_hit_calibrator",
            ),
            "$m$, $w$ and $b$ are uniform and independent beforehand.",
        ),
        Formula(
            "brier",
            "Brier score",
            r"\frac{1}{n}\sum_{k=1}^{n} (p_k - y_k)^2",
            "On topics that were not fitted on. A hazard, frailty or first-hit calibrator is judged by its own event: the first hit.",
            f"{PAPER}, calibration; G. W. Brier 1950",
            ("calibration.assess", "calibration.cross_validate"),
        ),
        Formula(
            "ece",
            "Expected calibration error",
            r"\sum_{j} \frac{n_j}{n}\thinspace \bigl|\bar p_j - \bar y_j\bigr|",
            "Over ten bins of equal width: mean chance against share found relevant. The reliability diagram draws both, with Wilson's "
            "95 % intervals.",
            f"{PAPER}, calibration; intervals: Wilson 1927",
            ("calibration.reliability", "calibration.ece", "figures.wilson"),
            "Ten bins of equal width: the paper does not say how many.",
        ),
        Formula(
            "dispersion",
            "How much lists vary",
            r"R \sim \mathrm{NegBin}\Bigl(\text{mean } \sum_k p_k,\ \text{shape } a\Bigr)",
            "As if the sum of chances were multiplied by a gamma variable of mean 1 and shape $a$ that each list has of its own. Fitted by "
            "maximum likelihood on the training topics' totals; infinite where Poisson fits as well.",
            OWN,
            ("calibration.fit",),
        ),
        Formula(
            "unseen",
            "How many relevant documents are still unread",
            r"\text{left} \sim \mathrm{NegBin}\left(\text{shape } a + f,\ \text{mean } e_{\text{left}}\thinspace \frac{a + f}{a + e_{\text{read}}}\right)",
            "$e$ are sums of chances of documents read and not read, $f$ the number found. What was found says where this list lies among "
            "lists. Shown with an interval of 90 %.",
            OWN,
            ("unseen.unseen",),
        ),
        Formula(
            "comparison",
            "Two calibrators compared",
            r"\text{log-loss} = -\frac{1}{n}\sum_{k} \log P(\text{what happened})",
            "On the same held-out documents, by the same event, beside Brier score and calibration error. Intervals of the differences are a "
            "paired bootstrap over lists. What switching would have changed is the session's rule asked with the other chances.",
            OWN,
            (
                "calibrator_compare.compare",
                "calibrator_compare.log_loss",
                "calibrator_compare.bootstrap_weights",
                "calibrator_compare.decisions",
            ),
        ),
        Formula(
            "live-check",
            "Do the chances fit this list?",
            r"\text{found} \sim \mathrm{NegBin}(\text{mean } e,\ \text{shape } a), \qquad \text{factor} \mid \text{found} \sim \mathrm{Gamma}(a_0 + f,\ a_0 + e)",
            "Among the documents read, $e$ relevant ones are expected and $f$ were found. Outside the interval of 90 %, which holds no more than were read, the page offers to "
            "multiply all chances by the posterior mean $(a_0+f)/(a_0+e)$, always reckoned from the chances as the calibrator gave them; "
            "the change is logged. In patents nothing is offered while nothing was found: the belief has taken the misses in already.",
            OWN,
            ("live_check.expected_range", "live_check.factor", "live_check.live_check", "calibration.scaled"),
            "$a_0 = \\min(a, 4)$: a list of one's own may be less like the training lists than those were like each other.",
        ),
    ),
)

VALUE = Section(
    "What going on is worth when one document decides",
    "$S_d = b_0 M_d + 1 - b_0$ is the chance that $d$ documents pass without a hit, $E_d = \\sum_{k\\lt d} S_k$ the number of documents that "
    "“until a hit, at most $d$” is expected to take.",
    (
        Formula(
            "score",
            "The paper's score",
            r"\rho_{d+1}\thinspace EVPI(b_d) \gt c",
            "The paper goes on exactly while this holds. With a window, the mean of the next $K$ chances stands in place of $\\rho_{d+1}$.",
            f"{PAPER}, stopping rule; Smooth and Batch",
            ("value.DecisivePath.score",),
            "$\\rho_{d+j} = b_d\\thinspace h_{d+j}$ for $j \\gt 1$: the belief is the present one. Fewer than $K$ documents left: those that are left.",
        ),
        Formula(
            "evsi",
            "Exact worth of one document",
            r"EVSI = \max\lbrace 0,\ \rho(B+L_g) - K(b - q^{\ast})^+ \rbrace",
            "Up to $q^{\\ast}$ this is $p\\thinspace EVPI(b)$, greater than the paper's score by $1/b$; where a miss would not change the action it is 0. "
            "So $\\rho\\thinspace EVPI$ is no upper bound for decisive evidence; $p\\thinspace EVPI(b)$ is.",
            f"{OWN}; corrects the bound in {PAPER}",
            ("value.DecisivePath.evsi",),
        ),
        Formula(
            "plan",
            "Value of a plan",
            r"J(D) = b_0(1-M_D)B + S_D\thinspace EU^{\ast}(b_D) - c\thinspace E_D = \text{const} - (V_D + c\thinspace E_D), \qquad V_D = S_D\thinspace EVPI(b_D)",
            "Of “screen until a hit, at most $D$”. Because the belief is a martingale, $V_D = \\min\\lbrace b_0 M_D (B+L_g),\\ (1-b_0)(G+L_r)\\rbrace$: "
            "no division, no cancellation.",
            OWN,
            ("value.DecisivePath.plan_value", "value.DecisivePath.loss", "value.DecisivePath.regret"),
        ),
        Formula(
            "optimal-stopping",
            "Optimal stopping",
            r"D^{\ast} = \arg\max_D J(D)",
            "From depth $d$ going on pays exactly if some $D \\gt d$ has $J(D) \\gt J(d)$; the best such $D$ is the advice “about $D - d$ more”. "
            "Equal to backward induction on $W_d = \\max\\lbrace EU^{\\ast}(b_d),\\ -c + \\rho_{d+1}B + (1-\\rho_{d+1})W_{d+1}\\rbrace$ (tested), in one "
            "pass. A look-ahead of $m$ takes the maximum over $D \\le d + m$.",
            OWN,
            ("value.DecisivePath.horizon_depths", "value.DecisivePath.expected_effort"),
        ),
        Formula(
            "worth",
            "What the next documents are worth, each",
            r"\max_{d \lt D \le d+m} \frac{V_d - V_D}{E_D - E_d}",
            "The loss that the best plan averts, a document. Some plan pays exactly when this exceeds the cost, on which it does not depend.",
            "Index of Gittins 1979, here of a stopping problem",
            ("value.DecisivePath.worth",),
        ),
        Formula(
            "citation",
            "When a⁺ needs a document to cite",
            r"EU^{\ast}(b) \to EU(a^-|b), \qquad EVPI(b) \to b\thinspace (B+L_g)",
            "Nobody can reject an application without a citation: before a hit only $a^-$ is open. On in a person's patent session, off in "
            "paper mode.",
            OWN,
            ("value.DecisivePath.evpi", "value.DecisivePath.chooses_plus"),
        ),
        Formula(
            "robust",
            "Does the advice depend on assumptions?",
            "",
            "The advice is asked again with all chances halved and doubled, and with $b_0$ moved by ±0.2 (not beyond 0.01 and 0.99). Where an "
            "answer differs, the headline says that it depends, and on what. If a rule would stop before any document was read, the page "
            "says that the starting assumption alone decides.",
            OWN,
            ("advice.advise",),
        ),
    ),
)

TABLES = Section(
    "Belief from 2×2 tables",
    "In a review $\\omega^+$ says that pooled sensitivity exceeds $\\theta$ (0.75 unless said otherwise); $\\lambda = \\mathrm{logit}\\thinspace \\theta$. Only "
    "studies with extractable counts move the belief.",
    (
        Formula(
            "model",
            "The model",
            r"TP_i \sim \mathrm{Bin}(n_{1i}, \mathrm{expit}\thinspace u_{1i}), \quad FP_i \sim \mathrm{Bin}(n_{2i}, \mathrm{expit}\thinspace u_{2i}), \quad (u_{1i}, u_{2i}) \sim N_2\bigl((\mu_1,\mu_2), \Psi(\tau_1,\tau_2,r)\bigr)",
            "$\\omega^+$ is $\\mathrm{expit}\\thinspace \\mu_1 \\gt \\theta$, so $b = P(\\mu_1 \\gt \\lambda \\mid \\text{tables})$. Exact binomial likelihood: no continuity "
            "correction, which is what makes the usual normal model decide otherwise in some reviews.",
            f"{PAPER}, belief for cumulative evidence (bivariate model); Reitsma et al. 2005, Chu & Cole 2006",
            ("belief.of_tables.belief_path", "belief.of_tables.beliefs"),
            "The paper does not say how its belief is computed; the exact binomial likelihood is the default here, REML is there to compare.",
        ),
        Formula(
            "prior",
            "Prior",
            r"\mu_1 \sim N\bigl(\lambda + s\thinspace \Phi^{-1}(b_0),\ s^2\bigr), \quad \mu_2 \sim N(-\lambda, s_{\text{fpr}}^2), \quad \tau_1, \tau_2 \sim \mathrm{HalfNormal}, \quad r \sim \mathrm{LKJ}(\eta)",
            "So $P(\\omega^+) = b_0$ exactly before any study. Defaults $s = s_{\\text{fpr}} = 1.5$, scale of $\\tau$ 1, $\\eta = 2$. The scale of $\\tau$ matters most.",
            "Apart from the recentred mean the defaults of MetaBayesDTA (Cerullo et al. 2023)",
            ("belief.prior.Prior", "belief.prior.Prior.at"),
            "The paper starts at one half and names no prior.",
        ),
        Formula(
            "learned-prior",
            "A prior learned from past reviews",
            r"(b_0, s, \tau) = \arg\max \sum_{\text{reviews}} \frac{1}{\text{outcomes}} \sum_{\text{outcomes}} \log P(TP \mid n_1, b_0, s, \tau)",
            "Empirical Bayes on a grid, from the univariate model; reviews weigh equally. A learned prior is carried to another $\\theta$ by "
            "keeping its distribution of sensitivity.",
            f"Type II maximum likelihood; {OWN}",
            ("belief.learned_prior.learn_prior", "belief.bayes.marginal_likelihood"),
        ),
        Formula(
            "univariate",
            "Engine “univariate”",
            r"b = \frac{\sum_{\mu_1 \gt \lambda}\sum_{\tau} \pi(\mu_1,\tau) \prod_i \sum_{u} \mathrm{Bin}(TP_i; n_{1i}, \mathrm{expit}\thinspace u)\thinspace N(u;\mu_1,\tau^2)}{\sum_{\mu_1}\sum_{\tau} \cdots}",
            "Sensitivity alone, on a lattice of steps of 0.1 logit with $\\lambda$ on an edge. One pass gives every prefix; where a posterior "
            "is narrower than the lattice it is read between the cells.",
            "Model of Chu & Cole 2006 for one margin",
            (
                "belief.bayes.univariate_path",
                "belief.bayes.univariate_belief",
                "belief.bayes.log_odds_path",
                "belief.bayes.weights_path",
                "belief.bayes.study_likelihood",
                "belief.bayes.outcome_likelihood",
                "belief.bayes.lattice_for",
            ),
        ),
        Formula(
            "bivariate",
            "Engine “bivariate”, the default",
            r"\mathrm{logit}\thinspace b = \mathrm{logit}\thinspace b_{\text{univariate}} + \mathrm{logit}\thinspace b_G(r\ \text{free}) - \mathrm{logit}\thinspace b_G(r = 0)",
            "The exact univariate belief, moved by what the correlation between the margins adds. $G$ is a normal–normal model on a grid of "
            "$(\\tau_1,\\tau_2,r)$ with the means integrated out, fed with Gaussian sites from expectation propagation. Mean error .003, "
            "largest .017 against MCMC of the exact model.",
            "Reitsma et al. 2005 with binomial likelihoods; sites as in Minka 2001; the combination: " + OWN,
            ("belief.bivariate.bivariate_path", "belief.bivariate.bivariate_belief"),
        ),
        Formula(
            "reml",
            "Engine “reml”",
            r"y_i = (\mathrm{logit}\ \text{sens}_i, \mathrm{logit}\ \text{fpr}_i) \sim N_2(\mu, \Psi + S_i), \quad S_i = \mathrm{diag}\Bigl(\tfrac{1}{TP}+\tfrac{1}{FN}, \tfrac{1}{FP}+\tfrac{1}{TN}\Bigr), \quad b = \Phi\left(\frac{\hat\mu_1 - \lambda}{se}\right)",
            "Restricted maximum likelihood as the R package mada has it, from nine starts. Not identified with fewer than three studies: "
            "the belief then stays at $b_0$. Half a patient is added to studies with a zero (“single”), to all once any cell is zero "
            "(“all”, mada's default), or to none.",
            "Reitsma et al. 2005; mada (Doebler & Holling)",
            (
                "belief.reitsma.fit",
                "belief.reitsma.fit_prefixes",
                "belief.reitsma.reml_belief",
                "belief.normal_fit.fit_prefixes",
            ),
        ),
        Formula(
            "sroc",
            "Summary ROC curve and its area",
            r"\mathrm{sens}(f) = \mathrm{expit}\left(\Lambda e^{-\beta/2} + e^{-\beta}\thinspace \mathrm{logit} f\right), \quad \Lambda = \sqrt{\tfrac{\tau_2}{\tau_1}}\thinspace \mu_1 - \sqrt{\tfrac{\tau_1}{\tau_2}}\thinspace \mu_2, \quad \beta = \log\tfrac{\tau_2}{\tau_1}",
            "The area is taken over the 99 rates .01 to .99, divided by 99 as mada does.",
            "Rutter & Gatsonis 2001; Harbord et al. 2007",
            ("belief.sroc.sroc", "belief.sroc.auc"),
        ),
        Formula(
            "regions",
            "Confidence and prediction region",
            r"(x - \hat\mu)^{T} C^{-1} (x - \hat\mu) = 2\thinspace F_{2,n-2}(0.95), \qquad C = \mathrm{cov}(\hat\mu) \ \text{or}\ \mathrm{cov}(\hat\mu) + \hat\Psi",
            "Ellipses in logit space, carried into the ROC plane: where the summary lies, and where the true rates of 95 % of new studies lie.",
            "Harbord & Whiting 2009 (as in RevMan and metandi)",
            ("belief.sroc.region",),
        ),
        Formula(
            "forest",
            "Intervals of single studies",
            r"\mathrm{Beta}^{-1}(0.025;\ TP, FN + 1) \ \text{to}\ \mathrm{Beta}^{-1}(0.975;\ TP + 1, FN)",
            "Of sensitivity, and of specificity with TN and FP.",
            "Clopper & Pearson 1934",
            ("evidence.clopper_pearson",),
        ),
        Formula(
            "posterior",
            "Prior and posterior of pooled sensitivity",
            "",
            "Densities from the univariate lattice. Where another engine gave the belief, the density is tilted by $e^{\\kappa\\mu}$, the least "
            "change that puts this belief above $\\theta$, so that picture and number agree.",
            OWN,
            ("belief.bayes.posterior",),
        ),
        Formula(
            "without",
            "Belief without each study",
            "",
            "The same engine on all studies but one, one after the other.",
            "Leave-one-out, common practice",
            ("evidence.evidence",),
        ),
    ),
)

STUDIES = Section(
    "What the next studies are worth",
    "In reviews $\\rho_{d+1} = p_{d+1}$, the chance of bringing data, not multiplied by the belief.",
    (
        Formula(
            "evsi-study",
            "Worth of one study, exactly",
            r"EVSI = EVPI(b) - \sum_{t=0}^{n_1} \min\lbrace b\thinspace P(t|\omega^+)(B+L_g),\ (1-b)\thinspace P(t|\omega^-)(G+L_r)\rbrace",
            "$t$ runs over the true positives that the next study may find. $n_1$ is the median so far, 40 before any, 1,000 at most. What a "
            "study finds under $\\omega^{\\pm}$ comes from the univariate posterior, $b$ from the session's engine.",
            f"{OWN} (the paper bounds it by EVPI: valid here, and loose)",
            ("value_of_studies.next_studies", "value_of_studies.NextStudy.evsi", "value_of_studies.n1_next"),
        ),
        Formula(
            "n-0",
            "How many studies the present knowledge is worth",
            r"n_0 = \frac{v}{v_1} - 1",
            "$v$ is the variance of $\\mu_1$ now, $v_1$ that of its posterior mean over what the next study may find.",
            "Ades, Lu & Claxton 2004; Jalal & Alarid-Escudero 2018",
            ("value_of_studies.next_studies",),
        ),
        Formula(
            "evsi-studies",
            "Worth of k studies",
            r"\frac{EVSI_k}{K} = \Phi_2(a, e; r) - q^{\ast}\Phi(e) - (b - q^{\ast})^+, \quad a = \Phi^{-1}(b), \quad r = \sqrt{\tfrac{k}{k+n_0}}, \quad e = \frac{a - \sqrt{1-r^2}\thinspace \Phi^{-1}(q^{\ast})}{r}",
            "Preposterior normal theory. The chance that $k$ studies lead to the other action is $1-\\Phi(e)$ or $\\Phi(e)$.",
            "Ades, Lu & Claxton 2004; Jalal & Alarid-Escudero 2018; Heath et al. 2018",
            ("value_of_studies.evsi_of_studies", "value_of_studies.chance_otherwise"),
        ),
        Formula(
            "review-plan",
            "Worth of the next documents of a review",
            r"\max_{m} \frac{V(w + \pi H(m)) - V(w) - c_{\text{full}} H(m)}{m}, \qquad H(m) = \sum_{j \le m} p_{d+j}",
            "$V(k)$ is the expected worth of a Poisson number of studies with mean $k$, $w$ the studies that waiting reports are expected to "
            "bring, $\\pi$ the share of included reports with data, $c_{\\text{full}}$ the cost of reading one in full. A plan of one "
            "document is weighed exactly. Some plan gains exactly when this exceeds $c$.",
            OWN,
            (
                "cumulative.CumulativePath.worth",
                "cumulative.CumulativePath.best_plan",
                "cumulative.dense_plans",
                "cumulative.limited_plans",
            ),
            "The plan reads $m$ and then decides; a rule that looks again after each study does no worse. So the policy Optimal is an "
            "approximation in reviews.",
        ),
        Formula(
            "review-score",
            "The paper's score in a review",
            r"p_{d+1}\thinspace \bigl(\pi\thinspace EVPI(b_d) - c_{\text{full}}\bigr)",
            "With one stage $\\pi = 1$ and $c_{\\text{full}} = 0$: the paper's.",
            f"{PAPER}, stopping rule; two stages: {OWN}",
            ("cumulative.CumulativePath.score", "cumulative.known_at"),
        ),
        Formula(
            "data-share",
            "Included reports that bring data",
            r"\pi \sim \mathrm{Beta}(\alpha + \text{with data},\ \beta + \text{without})",
            "$\\alpha, \\beta$ from past reviews by maximum beta-binomial likelihood. What each of $n$ waiting reports is worth follows: a binomial "
            "number of them brings a table.",
            OWN,
            (
                "data_share.fit_data_share",
                "data_share.DataShare.updated",
                "cumulative.CumulativePath.best_reports",
                "cumulative.CumulativePath.one_report",
            ),
        ),
        Formula(
            "otherwise",
            "Chance of another decision",
            r"P\bigl((b_N \gt q^{\ast}) \ne (b_d \gt q^{\ast})\bigr)",
            "Everything unread, waiting reports included, by the same normal theory. Beside it stands the chance that the decision is not "
            "that of the truth. A person may set a floor on it: no rule stops before it is met. No rule stops while waiting reports have "
            "more than a 1 % chance of changing the decision, or are worth reading.",
            OWN,
            (
                "cumulative.CumulativePath.otherwise",
                "cumulative.CumulativePath.disagreement",
                "cumulative.depths_with_floor",
            ),
        ),
    ),
)

EXPERIMENT = Section(
    "The experiment",
    "Every method is tuned on training cases and tried on test cases, for each $q^{\\ast}$ and each cost, with $K = 1$.",
    (
        Formula(
            "net-utility",
            "Net utility",
            r"U_t = u(a_t, \omega_t) - c\thinspace n_t",
            "Of case $t$ with $n_t$ documents read.",
            f"{PAPER}, Evaluation",
            ("evaluation.metrics.net_utility", "evaluation.metrics.payoff"),
        ),
        Formula(
            "actions",
            "Who acts how",
            "",
            "Rules that weigh value choose $a^+$ exactly if $b \\gt q^{\\ast}$. In patents a baseline chooses $a^+$ exactly if it saw a relevant document; in "
            "reviews all act on the belief reached.",
            f"{PAPER}; the baselines' action follows from Table 1, all twelve rows of which it reproduces",
            ("evaluation.replay.replay", "evaluation.replay.replay_reviews"),
            "The paper does not state the baselines' action.",
        ),
        Formula(
            "truth",
            "Truth in reviews",
            r"\omega^+ : b_N \gt \tfrac12 \ \text{(pooled)} \qquad \text{or} \qquad \omega^+ : b_N \gt q^{\ast} \ \text{(full evidence)}",
            "From all studies, with the bivariate engine, $b_0 = 0.5$ and the default prior, whatever is being tested.",
            f"{PAPER}: the text says pooled sensitivity exceeds θ; Table 2 can only come from the second reading",
            ("review.is_plus",),
            "Both are offered, and every result says which it used.",
        ),
        Formula(
            "agreement",
            "Same decision as the truth, false adopt, false reject",
            r"\frac{1}{T}\sum_t [a_t = \omega_t], \qquad \frac{1}{T}\sum_t [a^+, \omega^-], \qquad \frac{1}{T}\sum_t [a^-, \omega^+]",
            "False adopts are Type I errors, false rejects Type II.",
            f"{PAPER}, Evaluation",
            (
                "evaluation.metrics.agreement",
                "evaluation.metrics.false_adopt",
                "evaluation.metrics.false_reject",
                "evaluation.metrics.errors_of_net_utility",
                "evaluation.metrics.net_utility_of_errors",
            ),
        ),
        Formula(
            "recall",
            "Recall",
            r"\frac{C(d)}{R}",
            "$C(d)$ relevant documents among the first $d$, $R$ in all judgments, ranked or not.",
            f"{PAPER}, Evaluation",
            ("evaluation.metrics.recall",),
            "0 where $R = 0$: the paper's Budget row, .2734, is half of its Recall@100.",
        ),
        Formula(
            "icer",
            "Incremental cost-effectiveness ratio",
            r"ICER = \frac{\Delta\thinspace \text{documents read}}{\Delta\thinspace \text{decision agreement}}",
            "Against Greedy. Fewer documents and more agreement: dominant; the opposite: dominated; equal at the printed precision: no ratio.",
            f"{PAPER}, Evaluation",
            ("evaluation.metrics.icer",),
        ),
        Formula(
            "regret",
            "Regret",
            r"\max_{m} U_{t,m} - U_{t}",
            "Best net utility of any method shown on the same case, minus the method's own. An Oracle never counts.",
            f"{PAPER}, Evaluation",
            (
                "evaluation.metrics.regret",
                "evaluation.aggregate.regrets",
                "evaluation.aggregate.regret_by_cost",
            ),
        ),
        Formula(
            "tuning",
            "Tuning",
            "",
            "Each method's setting is the one with the best mean net utility on training cases, searched anew for every $q^{\\ast}$ and cost; the "
            "first in grid order among equals. Grids stand with the rules below.",
            f"{PAPER}, Evaluation",
            ("evaluation.protocol.run", "evaluation.methods.grid"),
        ),
        Formula(
            "intervals",
            "Intervals and weights",
            "",
            "Percentile bootstrap over groups (a review's outcomes go together; a topic and its twin too), the same groups drawn for every "
            "method, so that differences are paired. On request cases are weighed to another share of $\\omega^+$.",
            OWN,
            ("evaluation.aggregate.mean_with_interval", "evaluation.metrics.share_weights"),
        ),
        Formula(
            "ranking-metrics",
            "Quality of a ranking",
            r"AP = \frac{1}{R}\sum_{k:\thinspace y_k=1} \frac{C(k)}{k}, \qquad NDCG = \frac{\sum_k y_k/\log_2(k+1)}{\sum_{k\le R} 1/\log_2(k+1)}, \qquad \text{Recall@100} = \frac{C(100)}{R}",
            "As trec_eval computes them; means over topics with something relevant.",
            f"{PAPER}, data; trec_eval",
            ("evaluation.ranking_metrics.ranking_metrics", "evaluation.ranking_metrics.topic_metrics"),
        ),
        Formula(
            "bm25",
            "BM25",
            r"\sum_{w} \mathrm{idf}(w)\thinspace \frac{f\thinspace (k_1 + 1)}{f + k_1\thinspace (1 - \beta + \beta\thinspace |D|/\overline{|D|})}",
            "$f$ is how often word $w$ stands in the document. $k_1 = 1.5$, $\\beta = 0.75$; a word in more than half of the documents gets a quarter of the mean idf. "
            "Scores equal those of rank_bm25.BM25Okapi.",
            f"{PAPER}, data (rank_bm25); Robertson & Zaragoza 2009",
            ("ranking.build_index",),
        ),
    ),
)

EXPLORE = Section(
    "Explore and Learn",
    "What follows from what is at stake, before anything is known (“as planned”) or with all labels (“as it turned out”).",
    (
        Formula(
            "expected-net-utility",
            "Expected net utility of following a rule",
            r"EU^{\text{rule}} = b_d B + (1-b_d)G - \frac{V_D + c\thinspace E}{S_d}",
            "$D$ is where the rule stops if nothing turns up, $E$ the documents it is expected to read: $E_D - E_d$ for rules that stop at a hit, $D - d$ for those "
            "that go to their depth, whole batches for Batch. What was spent before is not counted. In reviews: reading that far and then deciding.",
            OWN,
            ("explore.plans", "explore.outcomes", "explore.maps", "explore.mean_maps"),
        ),
        Formula(
            "tornado",
            "One-way sensitivity and break-even values",
            "",
            "Each payoff, the cost and all chances are halved and doubled, $b_0$ moved by 0.2, one at a time. A break-even value is the nearest "
            "at which the rule's answer turns, found by bisection within a thousandth to a thousandfold.",
            OWN,
            ("explore.tornado", "explore.break_evens"),
        ),
        Formula(
            "mistaken",
            "What wrong chances cost",
            r"J(D^{\ast}) - J(D'; a')",
            "$D'$ and $a'$ are where a rule stops and what it does if it takes all chances times a factor; both are weighed with the unscaled ones.",
            OWN,
            ("ideas.mistaken", "ideas.expected"),
        ),
    ),
)

REPORTING = Section(
    "Records and reporting",
    "",
    (
        Formula(
            "duplicates",
            "Exact and near duplicates",
            "",
            "Records are merged on import if they share a DOI, PMID or publication number and no other of these contradicts it, or id, title "
            "and abstract, or a telling title, first author and year while their abstracts agree. Records whose titles are the same or differ "
            "in the spelling of a few words are proposed to a person, never merged on their own.",
            OWN,
            ("records.merge_records", "near_duplicates.near_duplicates"),
        ),
        Formula(
            "prisma",
            "PRISMA 2020 counts",
            r"\text{screened} + \text{not screened} = \text{identified} - \text{duplicates}",
            "Everything comes from the log. What the diagram has no box for gets one of its own: records not screened because of the stopping rule. Studies are "
            "counted by name, reports by document. In a patent session there is no full text: relevant documents are the included ones.",
            "Page et al. 2021",
            ("prisma.prisma",),
        ),
        Formula(
            "plan-deviation",
            "Plan and deviations",
            "",
            "A registered plan freezes settings and list before the first label. Other settings are a what-if until they are confirmed as a deviation, with a reason, in the log.",
            OWN,
            ("session.replay",),
        ),
    ),
)

SECTIONS: tuple[Section, ...] = (
    DECISION,
    DECISIVE,
    CALIBRATION,
    VALUE,
    TABLES,
    STUDIES,
    EXPERIMENT,
    EXPLORE,
    REPORTING,
)

FAMILIES = {
    "paper's policy": "The paper's policies",
    "beyond the paper": "Beyond the paper",
    "paper's baseline": "The paper's baselines",
    "reference": "References",
}


def formulas() -> dict[str, Formula]:
    """All formulas by key; the rules are not among them."""
    return {each.key: each for section in SECTIONS for each in section.formulas}


def body(formula: Formula) -> str:
    """What stands below a formula's title, as Markdown."""
    parts = [f"$$\n{formula.formula}\n$$"] if formula.formula else []
    parts.append(formula.text)
    if formula.assumption:
        parts.append(f"*Assumed.* {formula.assumption}")
    named = ", ".join(f"`{name}`" for name in formula.computed_by)
    parts.append(f"*Source.* {formula.source}.  \n*Computed by* {named}.")
    return "\n\n".join(parts)


def rule_body(policy: type[Policy]) -> str:
    """What stands below a rule's title: its own words, its formula, its parameters and its source."""
    parts = [policy.rule, f"$$\n{policy.formula}\n$$", details(policy)]
    parts += ["\n".join(f"- {_parameter(each)}" for each in policy.parameters)] if policy.parameters else []
    parts.append(
        f"*Source.* {policy.source}.  \n*Computed by* `{policy.__module__.removeprefix('tarstop_core.')}.{policy.__name__}`."
    )
    return "\n\n".join(parts)


# Letters with an index, as documentation of code writes them: ρ_{d+1}, b_d, max_{d<D≤d+m}.
_INDEXED = re.compile(r"(?<![\w])(max|min|[A-Za-zρΣΛ])_(\{[^}]*\}|[A-Za-z0-9]+)")


def details(policy: type[Policy]) -> str:
    """What a rule's own documentation says, as Markdown: indexed letters as formulas, every other sign as it is."""
    text = inspect.getdoc(policy) or ""
    text = text.split("\nParameters\n---")[0].strip()
    text = re.sub(r"``?([^`]+)``?", r"\1", text)
    parts, end = [], 0
    for match in _INDEXED.finditer(text):
        letter = f"\\{match[1]}" if len(match[1]) > 1 else match[1]
        index = match[2].strip("{}").replace("<", "\\lt ")
        index = f"\\mathrm{{{index}}}" if index.isalpha() and len(index) > 1 else index
        parts += [_literal(text[end : match.start()]), f"${letter}_{{{index}}}$"]
        end = match.end()
    return "".join((*parts, _literal(text[end:])))


def _literal(text: str) -> str:
    return re.sub(r"([\\*_<>$|])", r"\\\1", text)


def _parameter(parameter: Parameter) -> str:
    tried = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in parameter.grid)
    return f"`{parameter.name}`: {parameter.meaning}. Tried in a grid search: {tried}."


def by_family() -> dict[str, list[type[Policy]]]:
    """The rules under the titles of their families."""
    return {
        title: [policy for policy in POLICIES.values() if policy.family == family]
        for family, title in FAMILIES.items()
    }


def document() -> str:
    """The page docs/methods.md."""
    parts = [
        "# Methods\n\nEvery formula with its source, what is assumed where the paper is silent, and the function that computes it. "
        "“The paper” is Fletcher & Stevenson, *Decision-Theoretic Stopping Rules for Document Screening*; symbols are the paper's. "
        "The Learn page shows the same under *Formulas*, and its glossary has the words. Names of functions are below `tarstop_core`. "
        "Written by `python -m tarstop_core.methods`."
    ]
    for section in SECTIONS:
        parts.append(f"## {section.title}")
        parts += [section.intro] if section.intro else []
        parts += [f"### {each.title}\n\n{body(each)}" for each in section.formulas]
    parts.append(
        "## The rules\n\nEach rule says itself what it does; so do the sliders, the command line and the tables. "
        "`either(…;…)` stops where the first of several rules stops, `both(…;…)` where all do."
    )
    for title, rules in by_family().items():
        parts.append(f"### {title}")
        parts += [f"#### {policy.title}\n\n{rule_body(policy)}" for policy in rules]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    print(document(), end="")
