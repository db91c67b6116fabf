// Imports the module that its argument names, if any, and prints the CPU in µs and the resident memory in bytes of this process.
const [, , name] = process.argv
if (name !== undefined) await import(name)
const { system, user } = process.cpuUsage()
process.stdout.write(JSON.stringify({ cpu: system + user, resident: process.memoryUsage.rss() }))
