// Imports the module that its argument names, if any, and prints the CPU in µs and the resident memory in bytes of this process.
const [, , url] = process.argv
if (url !== undefined) await import(url)
const { system, user } = process.cpuUsage()
process.stdout.write(JSON.stringify({ cpu: system + user, resident: process.memoryUsage.rss() }))
