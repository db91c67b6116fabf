import { run } from "@zain/contract-tests/VitestRunner"
import { brokenApprovals } from "../mutants/BrokenApprovals.ts"
import { subjectOf } from "../mutants/Mutant.ts"

const [mutant] = brokenApprovals
if (mutant !== undefined) run(subjectOf(mutant))
