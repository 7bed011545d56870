// Preloaded into a Node-RED: its clock runs HURRY times as fast, so that the tests do not wait. Below 1, what
// is timed there lasts long enough for a test on a busy machine.
const times = Number(process.env['HURRY'])
const begun = Date.now()
const clock = performance.now.bind(performance)
const after = globalThis.setTimeout
const every = globalThis.setInterval

const now = (): number => begun + clock() * times

globalThis.Date = new Proxy(Date, {
  construct: (real, values, target) =>
    Reflect.construct(real, values.length > 0 ? values : [now()], target) as Date,
})
Date.now = now
performance.now = () => clock() * times
globalThis.setTimeout = Object.assign(
  (task: () => void, ms = 0, ...values: []) => after(task, ms / times, ...values),
  after,
)
globalThis.setInterval = Object.assign(
  (task: () => void, ms = 0, ...values: []) => every(task, ms / times, ...values),
  every,
)
