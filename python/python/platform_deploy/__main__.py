"""``python -m platform_deploy OPERATION``: what the make targets call. The operator's variables come from the environment.

Exit status: 0 fit, 1 refused (a report was printed), 2 wrong usage, 3 the world failed (a file, the network, a tool), 130
interrupted, 141 nobody read on. Which of them a finding means is declared with its code, in the core.
"""

from __future__ import annotations

import argparse
import sys

import pharos
from pharos._native import EXIT_USAGE, EXIT_WORLD
from pharos._world import INTERRUPTED, READER_GONE, is_reader_gone, refused_files
from platform_deploy import plan
from platform_deploy._checkout import CheckoutError, NoCheckoutError
from platform_deploy._console import say
from platform_deploy.hosts import ReaderError
from platform_deploy.inventory import ResolverError

OPERATIONS = {plan.OPERATION: plan.deploy_plan}


def main() -> int:
    """Run the operation that is named."""
    parser = argparse.ArgumentParser(prog="platform_deploy", description="Operations on an environment (ENV=...).")
    parser.add_argument("operation", choices=sorted(OPERATIONS))
    operation = parser.parse_args().operation
    try:
        return OPERATIONS[operation]()
    except pharos.RejectedError as error:
        say(error.report)
        return error.report.exit_status
    except NoCheckoutError as error:
        print(f"{operation}: {error}", file=sys.stderr)
        return EXIT_USAGE
    except (CheckoutError, ReaderError, ResolverError) as error:
        print(f"{operation}: {error}", file=sys.stderr)
    except (OSError, ExceptionGroup) as error:
        if is_reader_gone(error):
            return READER_GONE
        report = refused_files(error)
        say(report)
        return report.exit_status
    except KeyboardInterrupt:
        print(f"{operation}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except SystemExit:
        raise
    except BaseException as error:  # a panic of the core is no `Exception`; the words may quote what is private
        print(f"{operation}: internal fault: {type(error).__name__}; please report", file=sys.stderr)
    return EXIT_WORLD


if __name__ == "__main__":
    sys.exit(main())
