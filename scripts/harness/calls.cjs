// Calls between a process of the benchmark and the one that started it.

/** Handles calls from the process that started this one; exits with it. */
exports.answerCalls = (functions) => {
  const answer = async ({ id, name, value }) => {
    try {
      process.send({ id, result: await functions[name](value) })
    } catch (error) {
      process.send({ id, failure: String(error) })
    }
  }
  process.on('message', (call) => void answer(call))
  process.on('disconnect', () => process.exit(1))
}

/** Returns a function that calls the functions of a child by name. */
exports.callsTo = (child) => {
  const waiting = new Map()
  let calls = 0
  child.on('message', ({ id, result, failure }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (failure) reject(new Error(failure))
    else resolve(result)
  })
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`A process of the benchmark ended (${signal ?? code}).`))
    }
  })
  return (name, value) =>
    new Promise((resolve, reject) => {
      const id = ++calls
      waiting.set(id, { resolve, reject })
      child.send({ id, name, value }, (error) => error && reject(error))
    })
}
