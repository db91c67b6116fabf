// Loaded into a server before its own program: sends its usage so far to its parent on request.
process.on("message", () => process.send({ cpu: process.cpuUsage(), resident: process.memoryUsage.rss() }))
process.channel.unref()
