// The reference: sends calls from the page, and fills the examples with records of the reader's sandbox.

const form = document.getElementById('try')
const fill = document.getElementById('fill')
const STORED = 'countersign-try'
// Only a sandbox has the form, and only its credentials outlive a page: until the tab is closed.
const stored = fill ? JSON.parse(sessionStorage.getItem(STORED) ?? '{}') : {}

const at = (id) => document.getElementById(id)

fillPage()
fill?.addEventListener('submit', (event) => {
  event.preventDefault()
  makeAndStore()
})
let running
form?.addEventListener('submit', (event) => {
  event.preventDefault()
  running?.abort()
  running = new AbortController()
  send(running.signal)
})

/** Puts what is stored into the forms of the page. */
function fillPage() {
  const { tokenId, clientSecret, records } = stored
  for (const id of ['fill', 'try']) {
    const [user, password] = [at(`${id}-id`), at(`${id}-secret`)]
    if (user && tokenId) user.value = tokenId
    if (password && clientSecret) password.value = clientSecret
  }
  for (const input of form?.querySelectorAll('[data-random]') ?? []) input.value = randomKey()
  if (!records) return
  for (const input of form?.querySelectorAll('[data-name], [data-field]:not([type=file]), textarea') ?? [])
    input.value = withRecords(input.value, records)
}

/** Pages without TLS have no `crypto.randomUUID`. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The text with other records of the same kinds. */
function withRecords(text, { ids, business, wallet }) {
  return text.replace(/\b([A-Z]\w+):[0-9a-f-]{36}/g, (id, kind) => {
    if (id === business) return id
    return (id === wallet ? ids.Wallet : ids[kind]) ?? id
  })
}

/** Makes records in the sandbox, and has the examples of all pages name them. */
async function makeAndStore() {
  const say = (text) => {
    fill.querySelector('output').textContent = text
  }
  const button = fill.querySelector('button')
  button.disabled = true
  say('Making records …')
  try {
    const tokenId = at('fill-id').value.trim()
    const clientSecret = at('fill-secret').value.trim()
    const api = await (await fetch(fill.dataset.document)).json()
    const { Business: business, Wallet: wallet } = api['x-example-records']
    const ids = await makeRecords(caller(api.servers[0].url, basic(tokenId, clientSecret)), api, {
      business,
      wallet,
    })
    Object.assign(stored, { tokenId, clientSecret, records: { ids, business, wallet } })
    sessionStorage.setItem(STORED, JSON.stringify(stored))
    fillPage()
    say(`The examples are about ${ids.Customer} now. Send them as they are.`)
  } catch (error) {
    say(error.message)
  }
  button.disabled = false
}

function basic(tokenId, clientSecret) {
  const bytes = new TextEncoder().encode(`${tokenId}:${clientSecret}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** Calls the server; throws what it refuses in its own words. */
function caller(base, Authorization) {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      credentials: 'omit',
      headers: { Authorization, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body } : {}),
    })
    const result = await response.json()
    if (!response.ok) throw new Error(result.message)
    return result
  }
}

/** A customer with money, a bank account, a card and a quote. */
async function makeRecords(call, api, example) {
  const bodyOf = (path) => api.paths[path].post.requestBody.content['application/json'].example
  const { email: _, ...person } = bodyOf('/customers')
  const { id: Customer } = await call('POST', '/customers', JSON.stringify(person))
  const { data } = await call('GET', `/customers/internal-accounts?customerId=${Customer}`)
  const Wallet = data.find(({ type }) => type === 'EMBEDDED_WALLET')?.id
  const InternalAccount = data.find(
    ({ type, balance }) => type === 'INTERNAL_FIAT' && balance.currency.code === 'USD',
  ).id
  await call('POST', `/sandbox/internal-accounts/${InternalAccount}/fund`, '{"amount":1000000}')
  const ids = { Customer, InternalAccount, Wallet }
  const make = (path) => call('POST', path, withRecords(JSON.stringify(bodyOf(path)), { ids, ...example }))
  ids.ExternalAccount = (await make('/customers/external-accounts')).id
  const quote = await make('/quotes')
  ids.Quote = quote.id
  ids.Transaction = quote.transactionId
  ids.Card = (await make('/cards')).id
  const credentials = Wallet ? await call('GET', `/auth/credentials?accountId=${Wallet}`) : { data: [] }
  ids.AuthMethod = credentials.data[0]?.id
  return ids
}

/** Sends the call of the page and shows the response. */
async function send(signal) {
  const { show, append } = responseIn(at('response'))
  try {
    const response = await fetch(addressOfCall(), {
      method: form.dataset.method,
      headers: headersOfCall(),
      body: bodyOfCall(),
      // The cookie of a signed-in member is sent only by calls that take nothing else.
      credentials: form.querySelector('[data-cookie]') ? 'same-origin' : 'omit',
      signal,
    })
    show(`${response.status} ${response.statusText}`, response.headers.get('X-Request-Id'))
    if (response.headers.get('Content-Type')?.startsWith('application/json'))
      return append(indented(await response.text()))
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) append(part.value)
  } catch (error) {
    if (!signal.aborted) show(error.message)
  }
}

/** The parameters of a place that have a value: a list has several. */
function parameters(place) {
  return [...form.querySelectorAll(`[data-in="${place}"]`)]
    .filter(({ value }) => value.trim() !== '')
    .flatMap(({ value, dataset }) => {
      const values = 'list' in dataset ? value.split(',') : [value]
      return values.map((one) => [dataset.name, one.trim()])
    })
}

function addressOfCall() {
  const given = new Map(parameters('path'))
  const path = form.dataset.address.replace(/\{(\w+)\}/g, (_, name) => {
    if (!given.has(name)) throw new Error(`${name} is missing`)
    return encodeURIComponent(given.get(name))
  })
  const query = String(new URLSearchParams(parameters('query')))
  return query === '' ? path : `${path}?${query}`
}

function headersOfCall() {
  const headers = new Headers(parameters('header'))
  const [user, password, token] = ['try-id', 'try-secret', 'try-token'].map((id) => at(id)?.value.trim())
  if (user) headers.set('Authorization', basic(user, password))
  if (token) headers.set('Authorization', `Bearer ${token}`)
  if (at('try-body')) headers.set('Content-Type', 'application/json')
  return headers
}

function bodyOfCall() {
  const controls = form.querySelectorAll('[data-field]')
  if (controls.length === 0) return at('try-body')?.value
  const body = new FormData()
  // A file comes last, because the server checks the fields before it takes the file.
  const fileLast = [...controls].sort((a, b) => (a.type === 'file') - (b.type === 'file'))
  for (const { dataset, files, value } of fileLast) {
    if (files?.[0]) body.append(dataset.field, files[0])
    else if (!files && value !== '') body.append(dataset.field, value)
  }
  return body
}

/** Shows a status, then text as it comes. */
function responseIn(place) {
  const status = document.createElement('h3')
  const request = document.createElement('p')
  request.className = 'soft'
  const block = document.createElement('pre')
  block.tabIndex = 0
  status.textContent = 'Sending …'
  place.replaceChildren(status)
  return {
    show(text, requestId) {
      status.textContent = text
      request.textContent = requestId ? `X-Request-Id: ${requestId}` : ''
      place.replaceChildren(status, request)
    },
    append(text) {
      if (!block.isConnected && text !== '') place.append(block)
      block.append(text)
    },
  }
}

/** JSON with line breaks. Numbers stay as they are, because a parsed one may lose digits. */
function indented(json) {
  let depth = 0
  const line = (by) => {
    depth += by
    return `\n${'  '.repeat(depth)}`
  }
  return json.replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]|\s+/g, (token) => {
    if (token === '{' || token === '[') return token + line(1)
    if (token === '}' || token === ']') return line(-1) + token
    if (token === ',') return token + line(0)
    return token === ':' ? ': ' : token.trim() === '' ? '' : token
  })
}
