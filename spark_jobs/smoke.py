"""The Spark job: write, read back in a batch and as a stream, account for every record, report.

    spark-submit --jars <connector> spark_jobs/smoke.py --config smoke.json

``python -m spark_jobs.submit`` finds Java, Spark and the jars and runs that line. Exit codes: 0 proven; 1 something is
lost, corrupt, out of order, misplaced or held twice; 2 Kafka does not answer, or an open transaction hides records;
3 the user or the machine must change something; 4 a defect of this job. Each end leaves a report.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from spark_jobs.command import main

    sys.exit(main(sys.argv[1:]))
