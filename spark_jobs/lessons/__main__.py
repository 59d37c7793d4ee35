"""``python -m spark_jobs.lessons --config lessons.json``. Exit codes: 0 every sentence holds, 1 one does not or was not
shown, 2 the cluster cannot be reached, 3 usage, 4 a defect.
"""

from __future__ import annotations

import sys

from spark_jobs.cli import parser, with_config
from spark_jobs.lessons.run import REPORTS, load, run

if __name__ == "__main__":
    made = parser("lessons", "Show the sentences of the textbook on this cluster.", "spark_jobs/lessons/run.py")
    sys.exit(with_config(sys.argv[1:], made, load, lambda settings, _: run(settings), REPORTS))
