from tarstop_core.api.calibrators import Calibrator as Calibrator
from tarstop_core.api.lists import experiment as experiment
from tarstop_core.api.lists import rank as rank
from tarstop_core.api.replaying import replay as replay
from tarstop_core.api.screening import advise as advise
from tarstop_core.api.screening import decide as decide
from tarstop_core.api.screening import evsi as evsi
from tarstop_core.belief.after import belief as belief
from tarstop_core.errors import InputProblem as InputProblem
from tarstop_core.files import read_records as read_records
from tarstop_core.value.payoffs import Option as Option
from tarstop_core.value.payoffs import Payoffs as Payoffs
from tarstop_core.value.stakes import Stakes as Stakes

__version__: str
