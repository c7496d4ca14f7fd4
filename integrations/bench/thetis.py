"""How BenchExec runs Thetis and reads its answers.

The verdict is the exit code: 0 holds, 1 violated, 3 not decided; 2 is a task that Thetis does not read, and 4 a mistake of
its own. Why something is not decided stands in the result that `--json` prints, under codes that are stable; no sentence
is taken apart.
"""

import json

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Thetis, a model checker for reactive and real-time systems."""

    # What tables call the limits that end a run.
    LIMITS = {"time-limit": "TIMEOUT", "memory-limit": "OUT OF MEMORY"}

    def name(self):
        return "Thetis"

    def executable(self, tool_locator):
        return tool_locator.find_executable("thetis")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="thetis")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", task.single_input_file, "--json", *options]
        given = task.options if isinstance(task.options, dict) else {}
        if "arguments" in given:
            # A campaign says in full what is asked; its property file is for tables only.
            command += given["arguments"]
        elif task.property_file:
            command += ["--property-file", task.property_file]
        if "data_model" in given:
            command += ["--data-model", given["data_model"]]
        # Thetis ends by itself shortly before it would be ended, with what it has found out so far.
        if rlimits.cputime and "--timeout" not in options:
            command += ["--timeout", f"{max(1, int(rlimits.cputime * 0.95))}s"]
        if rlimits.memory and "--memory-limit" not in options:
            command += ["--memory-limit", f"{int(rlimits.memory * 0.95) // 10**6}MB"]
        return command

    def determine_result(self, run):
        if run.was_terminated:
            return result.RESULT_ERROR
        code = run.exit_code.value
        if code == 0:
            return result.RESULT_TRUE_PROP
        if code == 1:
            return result.RESULT_FALSE_PROP
        if code == 3:
            return self._why_unknown(_printed(run.output))
        why = _printed(run.output).get("code") or ("internal" if code == 4 else "input")
        return f"{result.RESULT_ERROR} ({why})"

    def _why_unknown(self, printed):
        codes = [answer.get("code") for answer in printed.get("properties", []) if answer.get("code")]
        if not codes:
            return result.RESULT_UNKNOWN
        return self.LIMITS.get(codes[0], f"{result.RESULT_UNKNOWN} ({codes[0]})")

    def get_value_from_output(self, output, identifier):
        """A number of the statistics by its name, such as `states` or `cegar.refinements`, over all properties."""
        total = None
        for answer in _printed(output).get("properties", []):
            value = answer.get("statistics")
            for name in identifier.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, (int, float)):
                total = value + (total or 0)
        return None if total is None else str(total)


def _printed(output):
    """The result among the lines of a run; warnings stand before or behind it."""
    text = "".join(output)
    start = text.find("{\n")
    if start < 0:
        return {}
    try:
        printed, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return {}
    return printed if isinstance(printed, dict) else {}
