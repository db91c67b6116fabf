// Loaded into a server before its program: reports its usage to the parent process.
process.on("message", () => process.send({ cpu: process.cpuUsage(), resident: process.memoryUsage.rss() }))
process.channel.unref()
