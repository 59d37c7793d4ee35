"""``python -m spark_jobs.proof --config proof.json``: ``report.json`` and ``page.html`` in the ``output_dir``.

Exit codes: 0 every record is accounted for; 1 something is missing, extra, changed, reordered or duplicated; 2 a
cluster cannot be reached or stopped answering; 3 usage, configuration or installation; 4 a defect of this job.
"""

import sys

from spark_jobs.proof.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
