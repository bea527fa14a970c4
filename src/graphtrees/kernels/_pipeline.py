"""How kernels are compiled: inner kernels only as far as their caller needs them.

Numba optimizes every function and turns it into machine code, and does so once more for the copy
in each caller. Inner kernels are never run by themselves. So their code stays as Numba writes it,
and is optimized once, as a part of the kernel that Python calls: half the time to compile. Passes
for what no kernel holds (closures, array expressions, literal types) are left out: a tenth less.
"""

from __future__ import annotations

import gc

from numba import _dynfunc
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class InnerLibrary(JITCodeLibrary):
    """The code of an inner kernel, to be linked into others."""

    def finalize(self) -> None:
        self._finalized = True


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel that Python calls, with all that it calls itself."""

    def finalize(self) -> None:
        for library in self._linking_libraries:  # grows as it is read
            if isinstance(library, InnerLibrary):
                self._linking_libraries.extend(
                    other
                    for other in library._linking_libraries
                    if other not in self._linking_libraries
                )
        super().finalize()


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """Code for an inner kernel, known to its callers, but not made executable."""

    _name = "inner_lowering"

    def run_pass(self, state) -> bool:
        name = state.func_id.func_qualname
        state.library = InnerLibrary(state.targetctx.codegen(), name)
        state.flags.no_compile = True
        super().run_pass(state)
        fndesc = state.cr.fndesc
        unused = _dynfunc.make_function(
            fndesc.lookup_module(), fndesc.unique_name, "", 0, state.cr.env, (state.library,)
        )
        state.targetctx.insert_user_function(unused, fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=unused)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Machine code for a kernel that Python calls."""

    _name = "kernel_lowering"

    def run_pass(self, state) -> bool:
        name = state.func_id.func_qualname
        state.library = KernelLibrary(state.targetctx.codegen(), name)
        state.library.enable_object_caching()
        return super().run_pass(state)


class _Flags(Flags):
    """Numba's options for a function, which it looks up types by: compared by what is set."""

    __slots__ = ()

    def __hash__(self) -> int:
        return _ANY_FLAGS

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Flags) and self._values == other._values:
            return True
        return super().__eq__(other)


_ANY_FLAGS = hash(Flags())  # Numba's own hash counts names of options, not what they are set to

_NOT_NEEDED = {
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    untyped_passes.DeadBranchPrune,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.WithLifting,
}


class _Compiler(CompilerBase):
    """Those of Numba's passes that kernels need, with another one for the last step."""

    lowering = NativeLowering

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals) -> None:
        super().__init__(typingctx, targetctx, library, args, return_type, _Flags(flags), locals)

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager(type(self).__name__)
        for part in (
            DefaultPassBuilder.define_untyped_pipeline(self.state),
            DefaultPassBuilder.define_typed_pipeline(self.state),
            DefaultPassBuilder.define_nopython_lowering_pipeline(self.state),
        ):
            for step, description in part.passes:
                if step not in _NOT_NEEDED:
                    passes.add_pass(self.lowering if step is NativeLowering else step, description)
        passes.finalize()
        return [passes]


class KernelCompiler(_Compiler):
    lowering = KernelLowering

    def compile_extra(self, func):
        """Compiling makes millions of objects and no garbage: looking for some takes a tenth."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if was_enabled:
                gc.enable()


class InnerCompiler(_Compiler):
    lowering = InnerLowering
