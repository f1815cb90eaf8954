// Every page about the API: buttons that copy code, and a search that shows its results while the reader types.

showCurrentPage()
openContents()
addCopyButtons()
addSearch()

/** Scrolls the list of pages to the entry of this one. */
function showCurrentPage() {
  const current = document.querySelector('.side [aria-current]')
  const side = current?.closest('.side')
  if (side) side.scrollTop = current.offsetTop - side.clientHeight / 2
}

/** A wide window has a column for the list of headings. */
function openContents() {
  const contents = document.querySelector('.contents details')
  if (contents && matchMedia('(min-width: 85rem)').matches) contents.open = true
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const isCopied = await copy(block.querySelector('code'))
      button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    block.append(button)
  }
}

/** A transcript shows commands after a prompt: only they are copied, without it and without their output. */
function copiedText(code) {
  const text = code.textContent
  // Strings in quotes and lines that end with a backslash go over several lines.
  const command = /^\$ ((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\\n|.)*)/gm
  const commands = [...text.matchAll(command)].map(([, one]) => one)
  return commands.length > 0 ? commands.join('\n') : text
}

/** Without TLS, browsers have no clipboard for pages: then the code is selected, and false is returned. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(copiedText(code))
    return true
  } catch {
    getSelection().selectAllChildren(code)
    return false
  }
}

function addSearch() {
  const form = document.querySelector('.search')
  const input = form.querySelector('input')
  const close = () => form.querySelector('.results')?.remove()
  let latest = 0
  input.addEventListener('input', async () => {
    const turn = ++latest
    const found = input.value.trim() === '' ? undefined : await resultsFor(form.action, input.value)
    // A slow response must not replace that of a later query.
    if (turn !== latest) return
    close()
    if (found) form.append(found)
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close()
      input.focus()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops = [input, ...form.querySelectorAll('.results a')]
    const step = event.key === 'ArrowDown' ? 1 : -1
    event.preventDefault()
    stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus()
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)
    const isShortcut =
      (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)
    if (!isShortcut) return
    event.preventDefault()
    input.select()
  })
}

/** The list of the server's page of results. */
async function resultsFor(address, query) {
  const response = await fetch(`${address}?q=${encodeURIComponent(query)}`)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return page.querySelector('main .results')
}
