/** Reports when an element comes into sight, or goes out of it: its tab, its sidebar or the page. */
export function whenShown(shown: HTMLElement, onChange: (isShown: boolean) => void): void {
  let isInPlace = false
  let wasShown = false
  const update = () => {
    const isShown = isInPlace && document.visibilityState === 'visible'
    if (isShown !== wasShown) onChange((wasShown = isShown))
  }
  // The editor does not say when another tab takes the place of this one, or a sidebar is closed.
  new IntersectionObserver((entries) => {
    isInPlace = entries.at(-1)?.isIntersecting === true
    update()
  }).observe(shown)
  document.addEventListener('visibilitychange', update)
}
