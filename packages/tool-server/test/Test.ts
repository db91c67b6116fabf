export { test } from "../../core/test/Test.ts"
