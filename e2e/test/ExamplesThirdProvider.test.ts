/** The example proves itself by a test of its own, which needs nothing of ours. Here it is run. */
import "../../examples/third-provider/Provider.test.ts"
