"""Judges the catalogue, the committed environments and the laboratories that are to extend them: `pharos check`.

python scripts/catalogue.py --extensions - < routes.yaml
"""

import sys

from pharos.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["check"]
    main()
