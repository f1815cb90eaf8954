/** The page's user interface, which knows nothing about wallets. */
export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no element #${id}`)
  return element as T
}

export function showStatus(text: string, isWrong = false): void {
  const status = find('status')
  status.textContent = text
  status.classList.toggle('wrong', isWrong)
}

/** Runs `work` on each click or submit, one run at a time, and shows its errors. */
export function onAction(id: string, work: () => Promise<void>): void {
  const element = find(id)
  const run = async () => {
    const buttons = [...document.querySelectorAll('button')].filter((button) => !button.closest('dialog'))
    for (const button of buttons) button.disabled = true
    try {
      await work()
    } catch (error) {
      showStatus(describeError(error), true)
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }
  if (element instanceof HTMLFormElement)
    element.addEventListener('submit', (event) => {
      event.preventDefault()
      void run()
    })
  else element.addEventListener('click', () => void run())
}

/** Shows a dialog. Resolves to the value of the button that closed it, or to '' for the Escape key. */
export async function showDialog(id: string): Promise<string> {
  const dialog = find<HTMLDialogElement>(id)
  dialog.returnValue = ''
  dialog.showModal()
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  return dialog.returnValue
}

export function createItem(title: string, detail: string, ...rest: HTMLElement[]): HTMLLIElement {
  const [li, text, strong, small] = (['li', 'span', 'strong', 'small'] as const).map((name) =>
    document.createElement(name),
  ) as [HTMLLIElement, HTMLElement, HTMLElement, HTMLElement]
  strong.textContent = title
  small.textContent = detail
  text.append(strong, small)
  li.append(text, ...rest)
  return li
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason = 'reason' in error && typeof error.reason === 'string' ? ` (${error.reason})` : ''
  return error.message + reason
}
