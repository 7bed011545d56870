// Runs inside the measured Node-RED, before all else: reports what it uses, and how long it takes
// to load the files of the package and to let them register their nodes.
const Module = require('node:module')
const { performance } = require('node:perf_hooks')
const { answerCalls } = require('../../scripts/harness/calls.cjs')

const folder = process.env.MEASURED_PACKAGE
const files = []
const { _load: load } = Module
let within = false

Module._load = function (request, ...rest) {
  const measured = !within && request.startsWith(folder) && request.endsWith('.js')
  if (!measured) return load.call(this, request, ...rest)
  const file = { file: request.slice(folder.length + 1), loadMs: 0, registerMs: 0 }
  files.push(file)
  const register = timed(file, 'loadMs', () => load.call(this, request, ...rest))
  return (RED) => timed(file, 'registerMs', () => register(RED))
}

function timed(file, measure, run) {
  const from = performance.now()
  within = true
  try {
    return run()
  } finally {
    within = false
    file[measure] = performance.now() - from
  }
}

answerCalls({
  /** After a garbage collection. */
  usage() {
    const { user, system } = process.cpuUsage()
    for (let times = 0; times < 3; times++) globalThis.gc()
    const { rss, heapUsed } = process.memoryUsage()
    return { cpuMs: (user + system) / 1000, rss, heapUsed }
  },
  loaded: () => ({
    files,
    modules: Object.keys(require.cache).filter((module) => module.endsWith('.js')),
  }),
})
