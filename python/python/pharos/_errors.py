"""The exception that a refused input raises."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would be half of the import's time
if TYPE_CHECKING:
    from pharos._native import Diagnostic, Report


class RejectedError(ValueError):
    """An input was refused; ``report`` holds every finding of it, in file order, and ``diagnostics`` the findings as a list.

    >>> import pharos
    >>> try:
    ...     pharos.routes(("services.yaml", "version: 1"), ("policy.yaml", "version: 2"))
    ... except pharos.RejectedError as error:
    ...     print(sorted({each.code for each in error.diagnostics}))
    ['site/unknown-document']
    """

    def __init__(self, report: Report) -> None:
        super().__init__(report.human().rstrip())
        self.report = report

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings."""
        return self.report.diagnostics
