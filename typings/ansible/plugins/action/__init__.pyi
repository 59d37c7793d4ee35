from collections.abc import Sequence
from typing import Any

class ActionBase:
    _supports_check_mode: bool
    _supports_async: bool
    _task: Any
    _templar: Any
    _connection: Any
    _play_context: Any
    _display: Any
    _loader: Any
    _shared_loader_obj: Any
    def run(self, tmp: str | None = ..., task_vars: dict[str, Any] | None = ...) -> dict[str, Any]: ...
    def _execute_module(
        self,
        module_name: str | None = ...,
        module_args: dict[str, Any] | None = ...,
        tmp: str | None = ...,
        task_vars: dict[str, Any] | None = ...,
        persist_files: bool = ...,
        delete_remote_tmp: bool | None = ...,
        wrap_async: bool = ...,
    ) -> dict[str, Any]: ...
    def validate_argument_spec(
        self,
        argument_spec: dict[str, Any] | None = ...,
        mutually_exclusive: Sequence[tuple[str, ...]] | None = ...,
        required_together: Sequence[tuple[str, ...]] | None = ...,
        required_one_of: Sequence[tuple[str, ...]] | None = ...,
        required_if: Sequence[tuple[str, Any, Sequence[str]]] | None = ...,
    ) -> tuple[Any, dict[str, Any]]: ...
    def _make_tmp_path(self, remote_user: str | None = ...) -> str: ...
    def _transfer_file(self, local_path: str, remote_path: str) -> str: ...
