import { run } from "@zain/contract-tests/VitestRunner"
import * as ContractCluster from "../testing/ContractCluster.ts"

run(await ContractCluster.parrot(ContractCluster.oneProcess))
