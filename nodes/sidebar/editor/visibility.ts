/** Tells when an element comes into sight, or goes out of it: its tab, its sidebar or the page. */
export function whenShown(shown: HTMLElement, tell: (isShown: boolean) => void): void {
  let isInPlace = false
  let told = false
  const update = () => {
    const isShown = isInPlace && document.visibilityState === 'visible'
    if (isShown !== told) tell((told = isShown))
  }
  // The editor does not say when another tab takes the place of this one, or a sidebar is closed.
  new IntersectionObserver((entries) => {
    isInPlace = entries.at(-1)?.isIntersecting === true
    update()
  }).observe(shown)
  document.addEventListener('visibilitychange', update)
}
