// The result of what a button of a form does, while the form stays as it was.

/** @param outdated stands above the result once what it depends on, `present`, has changed */
export function createOutcome(
  result: HTMLElement,
  buttons: readonly HTMLButtonElement[],
  outdated: HTMLElement,
  present: (by: HTMLButtonElement) => string,
) {
  let isBusy = false
  /** What the result that is shown is of. */
  let shown: { by: HTMLButtonElement; of: string } | undefined

  function busy(by: HTMLButtonElement, is: boolean): void {
    isBusy = is
    // A disabled button would lose the focus.
    for (const button of buttons) button.ariaDisabled = String(is)
    by.querySelector('.fa')!.classList.toggle('fa-spin', is)
    result.ariaBusy = String(is)
  }

  /** A result for another form than the one that is shown must not look like its result. */
  function compare(): void {
    const isOther = shown !== undefined && present(shown.by) !== shown.of
    if (outdated.hidden === isOther) outdated.hidden = !isOther
    result.classList.toggle('media-gateway-outdated', isOther)
  }

  /** @param work shows its result, and may return what of it has to be in sight */
  async function run(by: HTMLButtonElement, work: () => Promise<Element | undefined>) {
    if (isBusy) return
    busy(by, true)
    const of = present(by)
    shown = undefined
    compare()
    const first = await work()
    shown = { by, of }
    busy(by, false)
    compare()
    result.scrollIntoView({ block: 'nearest' })
    first?.scrollIntoView({ block: 'nearest' })
  }

  return { compare, run }
}
