// Loaded into a server before its own program: tells whoever started it what it has used so far.
process.on("message", () => process.send({ cpu: process.cpuUsage(), resident: process.memoryUsage.rss() }))
process.channel.unref()
