import "../third-party/FiveLines.ts"
