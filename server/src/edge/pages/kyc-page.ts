import { KIB } from '@countersign/contract/core/endpoint'
import { document_create } from '@countersign/contract/customers/documents'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { buildAuditEntryOutsideApi } from '../../kernel/audit/audit-trail.ts'
import type { App, RequestOrigin } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { LogWith } from '../../kernel/operation/log-fields.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import {
  findLinkByToken,
  findSession,
  getLinkUuid,
  hasSession,
  isUnused,
  KYC_PAGE_PATH,
  openLink,
  recordActivity,
  reloadLink,
  type UsedLink,
} from '../../people/kyc/kyc-links.ts'
import { renderBeginPage, renderPlainPage } from '../../people/kyc/page/end-pages.ts'
import { FORM_TOKEN, isFormToken, makeFormToken, type Typed } from '../../people/kyc/page/form.ts'
import { buildSessionPath, toVisit, type Visit } from '../../people/kyc/page/layout.ts'
import { STYLE_HASH } from '../../people/kyc/page/style.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { USER_AGENT_CHARACTERS_MAX } from '../http/authentication/members.ts'
import { findClientAddress } from '../http/request/address.ts'
import type { TakeUpload } from '../http/request/upload.ts'
import { formatCookie, getCookieName, readCookieValue } from '../http/response/cookies.ts'
import { encodeError, toApiError } from '../http/response/errors.ts'
import { limitRest } from '../http/response/refuse.ts'
import type { KycCalls } from './kyc-calls.ts'
import { createStepHandlers, type Reaction, type StepHandlers } from './kyc-steps.ts'

const FORM_BYTES_MAX = 64 * KIB
const COOKIE_SECONDS = 24 * 60 * 60
const SECRET_BYTES = 32
const SECRET = /^[\w-]{43}$/

const UNKNOWN = [
  'This link is not valid',
  'Check that you copied the whole link, or request a new one.',
] as const
const GONE = [
  'This link is no longer valid',
  'It was already opened or has expired. Go back to the app that sent you here and request a new link.',
] as const
const ENDED = [
  'Your session has ended',
  'Your entries are saved. To continue, go back to the app that sent you here and request a new link.',
] as const
const REFUSED = [
  'This form could not be submitted',
  'Go back and try again. This page needs cookies.',
] as const

/** Serves the verification page outside the API. The credential is first a link, then a session cookie. */
export function addKycPage(server: FastifyInstance, app: App, calls: KycCalls, takeUpload: TakeUpload): void {
  const steps = createStepHandlers(app, calls, takeUpload)
  server.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendFault(app, error, request, reply))
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
      async (_: FastifyRequest, body: string) => readTyped(new URLSearchParams(body)),
    )
    addLinks(scope, app)
    addSteps(scope, app, steps)
  })
  server.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendFault(app, error, request, reply))
    scope.removeAllContentTypeParsers()
    await scope.register(multipart, { throwFileSizeLimit: false })
    addUploads(scope, app, steps)
  })
}

/** Adds the pages of a link before it has a session. */
function addLinks(scope: FastifyInstance, app: App): void {
  const url = `${KYC_PAGE_PATH}:token`
  scope.get<{ Params: { token: string } }>(url, { exposeHeadRoute: false }, async (request, reply) => {
    const used = await resolveLink(app, request)
    if (!used) return sendPage(reply, 404, renderPlainPage(...UNKNOWN))
    const secret = readLinkSecret(app, request, used) ?? newSecret(used)
    if (hasSession(used, secret)) return reply.redirect(buildSessionPath(used.link), 303)
    const customer = isUnused(used) ? await findLinkedCustomer(used) : undefined
    if (!customer) return sendPage(reply, 410, renderPlainPage(...GONE))
    setCookie(app, reply, used, secret)
    const { app: name, formToken } = toVisit(used, secret)
    const { customer_type } = customer
    return sendPage(
      reply,
      200,
      renderBeginPage(KYC_PAGE_PATH + request.params.token, name, formToken, customer_type),
    )
  })
  // Opening the link takes a second step, because programs follow links in messages before people open them.
  scope.post<{ Params: { token: string }; Body: Typed | undefined }>(url, async (request, reply) => {
    const used = await resolveLink(app, request)
    if (!used) return sendPage(reply, 404, renderPlainPage(...UNKNOWN))
    const secret = readLinkSecret(app, request, used)
    // The form was submitted twice, and its token belongs to the earlier cookie.
    if (hasSession(used, secret)) return reply.redirect(buildSessionPath(used.link), 303)
    if (!secret || !isFormToken(request.body?.get(FORM_TOKEN)?.[0], makeFormToken(secret, used.link.id)))
      return sendPage(reply, 403, renderPlainPage(...REFUSED))
    // A new secret, because an attacker may have planted the earlier one in this browser.
    const cookieSecret = newSecret(used)
    if (!(await findLinkedCustomer(used)) || !(await open(app, used, cookieSecret, request)))
      return sendPage(reply, 410, renderPlainPage(...GONE))
    setCookie(app, reply, used, cookieSecret)
    return reply.redirect(buildSessionPath(used.link), 303)
  })
}

/** Opens a link for the browser with this secret. Returns false if another browser was faster. */
async function open(app: App, used: UsedLink, secret: string, request: FastifyRequest): Promise<boolean> {
  const { customer_id: customerId } = used.link
  const op = { ...used.op, from: getOrigin(app, request) }
  const entry = () =>
    buildAuditEntryOutsideApi(op, 'kyc_link_open', { params: { customerId } }, request.trace.httpRequestId)
  return decideAndCommit(
    app,
    used.op,
    async () => undefined,
    async () => {
      const current = await reloadLink(app, used)
      if (!isUnused(current)) return { answer: false, writes: [] }
      return { answer: true, writes: [openLink(current, secret), ...entry()] }
    },
  )
}

function getOrigin(app: App, request: FastifyRequest): RequestOrigin {
  return {
    address: findClientAddress(app, request),
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS_MAX),
    ownOrigin: app.origin(),
  }
}

function addSteps(scope: FastifyInstance, app: App, { show, take }: StepHandlers): void {
  const url = `${KYC_PAGE_PATH}session/:link`
  for (const [path, handler] of Object.entries(show))
    scope.get<SessionRoute>(url + path, { exposeHeadRoute: false }, async (request, reply) =>
      react(app, request, reply, (visit) => handler(visit, request)),
    )
  for (const [path, handler] of Object.entries(take))
    scope.post<SessionRoute>(url + path, async (request, reply) =>
      react(app, request, reply, async (visit) => {
        const typed = request.body ?? new Map<string, readonly string[]>()
        if (!isFormToken(typed.get(FORM_TOKEN)?.[0], visit.formToken))
          return { status: 403, html: renderPlainPage(...REFUSED) }
        return handler(visit, request, typed)
      }),
    )
}

function addUploads(scope: FastifyInstance, app: App, { takeFile }: StepHandlers): void {
  scope.post<SessionRoute>(
    `${KYC_PAGE_PATH}session/:link/documents`,
    { bodyLimit: document_create.upload.bytesMax + FORM_BYTES_MAX, config: { isUpload: true } },
    async (request, reply) => {
      const sent = await react(app, request, reply, (visit) => takeFile(visit, request))
      limitRest(request)
      return sent
    },
  )
}

interface SessionRoute {
  Params: { link: string }
  Body: Typed | undefined
  Querystring: Readonly<Record<string, string | string[] | undefined>>
}

/** Responds to a request of a session, or shows that the session has ended. */
async function react(
  app: App,
  request: FastifyRequest<SessionRoute>,
  reply: FastifyReply,
  handle: (visit: Visit) => Promise<Reaction>,
): Promise<FastifyReply> {
  const uuid = request.params.link
  const secret = readCookie(app, request, uuid)
  const used = await findSession(app, uuid, secret, new LogWith(app.log, request.trace))
  if (!used || !secret || !(await findLinkedCustomer(used)))
    return sendPage(reply, 410, renderPlainPage(...ENDED))
  request.trace.platformId = used.op.platform.id
  const session = recordActivity(used)
  // Concurrent requests may both record the visit. It is enough if one of them succeeds.
  if (session.length > 0) await app.commit(used.op, session)
  const reaction = await handle(toVisit(await reloadLink(app, used), secret))
  if ('redirect' in reaction) return reply.headers(HEADERS).redirect(reaction.redirect, 303)
  return sendPage(reply, reaction.status ?? 200, reaction.html, used.link.redirect_uri)
}

/**
 * Finds the link of a request. Throws 429 `RATE_LIMITED` for addresses that have sent too many unknown links.
 */
async function resolveLink(
  app: App,
  request: FastifyRequest<{ Params: { token: string } }>,
): Promise<UsedLink | undefined> {
  const used = await findLinkByToken(app, request.params.token, new LogWith(app.log, request.trace))
  if (used) {
    request.trace.platformId = used.op.platform.id
    return used
  }
  const address = findClientAddress(app, request)
  app.failedAttempts.check('kycLinksByAddress', address)
  app.failedAttempts.recordFailure('kycLinksByAddress', address)
  return undefined
}

/** Finds the customer of a link. Undefined if it was deleted in the meantime. */
async function findLinkedCustomer({ op, link }: UsedLink): Promise<CustomerRow | undefined> {
  try {
    return await findCustomer(op, link.customer_id)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

const COOKIE = 'verify-'

function newSecret({ op }: UsedLink): string {
  return Buffer.from(op.random(SECRET_BYTES)).toString('base64url')
}

/** The secret that this browser has for a link. */
function readLinkSecret(app: App, request: FastifyRequest, { link }: UsedLink): string | undefined {
  return readCookie(app, request, getLinkUuid(link))
}

function readCookie(app: App, { headers }: FastifyRequest, uuid: string): string | undefined {
  const secret = readCookieValue(headers.cookie, getCookieName(app, `${COOKIE}${uuid}`))
  return secret !== undefined && SECRET.test(secret) ? secret : undefined
}

function setCookie(app: App, reply: FastifyReply, { link }: UsedLink, secret: string): void {
  reply.header(
    'Set-Cookie',
    formatCookie(app, `${COOKIE}${getLinkUuid(link)}`, secret, {
      seconds: COOKIE_SECONDS,
      path: KYC_PAGE_PATH,
    }),
  )
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
}

/** The page loads nothing else. Its forms go to this server, which may redirect to the platform. */
function buildPolicy(redirectUri: string | null): string {
  const target = redirectUri === null ? undefined : new URL(redirectUri)
  // A policy cannot contain an IPv6 address in brackets.
  const allowed = target && (target.hostname.startsWith('[') ? target.protocol : target.origin)
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    'img-src data:',
    `form-action 'self'${allowed ? ` ${allowed}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function sendPage(
  reply: FastifyReply,
  status: number,
  text: string,
  redirectUri: string | null = null,
): FastifyReply {
  return reply
    .code(status)
    .headers(HEADERS)
    .header('Content-Security-Policy', buildPolicy(redirectUri))
    .type('text/html; charset=utf-8')
    .send(text)
}

/** Shows an error as a page. */
function sendFault(app: App, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const statusCode = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return sendPage(reply, statusCode, renderPlainPage(...REFUSED))
  const { refusal, isFault } = toApiError(error)
  request.trace.code = refusal.code
  if (isFault) app.log.error({ ...request.trace, err: error }, 'failed to serve the verification page')
  const isLimited = refusal.code === 'RATE_LIMITED'
  reply.headers(encodeError(refusal, app.origin()).headers)
  return sendPage(
    reply,
    isLimited ? 429 : 503,
    renderPlainPage(isLimited ? 'Too many attempts' : 'Something went wrong', 'Wait a minute and try again.'),
  )
}

function readTyped(form: URLSearchParams): Typed {
  const typed = new Map<string, string[]>()
  for (const [name, value] of form) typed.set(name, [...(typed.get(name) ?? []), value])
  return typed
}
