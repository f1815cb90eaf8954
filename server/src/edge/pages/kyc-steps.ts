import { document_create } from '@countersign/contract/customers/documents'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../kernel/operation/app.ts'
import { decideAndCommit } from '../../kernel/operation/decide-and-commit.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { toBeneficialOwnerView } from '../../people/customers/beneficial-owners.ts'
import { findCustomer, toCustomerView } from '../../people/customers/customers.ts'
import { countUpload, reloadLink } from '../../people/kyc/kyc-links.ts'
import { readAnswers } from '../../people/kyc/page/answers.ts'
import { listDetailsFields, listKnownSecrets, renderDetailsPage } from '../../people/kyc/page/details-page.ts'
import { DOCUMENT_FIELDS, renderDocumentPage } from '../../people/kyc/page/document-page.ts'
import { renderObstaclePage, renderReviewPage, renderStatusPage } from '../../people/kyc/page/end-pages.ts'
import { OWNER_FIELDS } from '../../people/kyc/page/fields.ts'
import { type Fault, FORM_KEY, FORM_TOKEN, isFormToken, type Typed } from '../../people/kyc/page/form.ts'
import type { Visit } from '../../people/kyc/page/layout.ts'
import { renderOwnerPage, renderOwnersPage, WIDELY_HELD } from '../../people/kyc/page/owner-pages.ts'
import {
  findNextStep,
  findStep,
  getStage,
  listMissing,
  type Progress,
} from '../../people/kyc/page/progress.ts'
import { findProgress } from '../../people/verifications/proceed.ts'
import type { BeneficialOwnerRow } from '../../storage/rows/verification.ts'
import { USER_AGENT_CHARACTERS_MAX } from '../http/authentication/members.ts'
import type { ReadForm } from '../http/request/form.ts'
import type { TakeUpload } from '../http/request/upload.ts'
import type { KycCall, KycCalls, KycOutcome } from './kyc-calls.ts'

/** The response of a step: another page, or a redirect. */
export type Reaction = { readonly status?: number; readonly html: string } | { readonly redirect: string }

type Request = FastifyRequest<{
  Params: { link: string }
  Body: Typed | undefined
  Querystring: Readonly<Record<string, string | string[] | undefined>>
}>
type Show = (visit: Visit, request: Request) => Promise<Reaction>
type Take = (visit: Visit, request: Request, typed: Typed) => Promise<Reaction>

/** The steps by path: their pages, and the handlers of their forms. */
export interface StepHandlers {
  readonly show: Readonly<Record<string, Show>>
  readonly take: Readonly<Record<string, Take>>
  readonly takeFile: Show
}

/** The steps of the page. All input is sent through API calls. */
export function createStepHandlers(app: App, calls: KycCalls, takeUpload: TakeUpload): StepHandlers {
  const call = (
    name: Parameters<KycCalls>[0],
    visit: Visit,
    { ip, headers, trace }: Request,
    uploadRequest: KycCall,
  ) => {
    const userAgent = headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS_MAX)
    return calls(name, visit, { address: ip, userAgent, trace }, uploadRequest)
  }
  const context: Context = { app, call, takeUpload }
  return {
    show: {
      '': showHome,
      '/details': ifOpen(async (visit, progress) => ({ html: renderDetailsPage(visit, progress) })),
      '/owners': ifBusiness(async (visit, progress) => ({ html: renderOwnersPage(visit, progress) })),
      '/owner': ifBusiness(async (visit, progress, request) => ({
        html: renderOwnerPage(visit, progress, findRequestedOwner(progress, request)),
      })),
      '/documents': ifOpen(async (visit, progress, { query }) => ({
        html: renderDocumentPage(visit, progress, readDocumentQuery(query)),
      })),
      '/review': ifOpen(async (visit, progress) =>
        listMissing(progress).length > 0 ? toHome(visit) : { html: renderReviewPage(visit, progress) },
      ),
    },
    take: {
      '/details': ifOpen(async (visit, progress, request, typed) =>
        takeDetails(context, visit, progress, request, typed),
      ),
      '/owners': ifBusiness(async (visit, progress, request, typed) =>
        takeOwners(context, visit, progress, request, typed),
      ),
      '/owner': ifBusiness(async (visit, progress, request, typed) =>
        takeOwner(context, visit, progress, request, typed),
      ),
      '/remove-document': ifOpen(async (visit, _progress, request, typed) => {
        const documentId = getFirstValue(typed, 'documentId') ?? ''
        await call('document_delete', visit, request, { params: { documentId } })
        return { redirect: `${visit.base}/documents` }
      }),
      '/review': ifOpen(async (visit, progress, request) => submit(context, visit, progress, request)),
    },
    takeFile: ifOpen(async (visit, progress, request) => takeDocument(context, visit, progress, request)),
  }
}

interface Context {
  readonly app: App
  readonly call: (
    name: Parameters<KycCalls>[0],
    visit: Visit,
    request: Request,
    uploadRequest: KycCall,
  ) => Promise<KycOutcome>
  readonly takeUpload: TakeUpload
}

type Step = (visit: Visit, progress: Progress, request: Request, typed: Typed) => Promise<Reaction>

const NOTHING: Typed = new Map()

/** Limits a step to open verifications. Otherwise it redirects to the customer's status. */
function ifOpen(step: Step): Take & Show {
  return async (visit: Visit, request: Request, typed: Typed = NOTHING) => {
    const progress = await readProgress(visit)
    return getStage(progress) === 'open' ? step(visit, progress, request, typed) : toHome(visit)
  }
}

function ifBusiness(step: Step): Take & Show {
  return ifOpen(async (visit, progress, request, typed) =>
    progress.customerCase.customer.customer_type === 'BUSINESS'
      ? step(visit, progress, request, typed)
      : toHome(visit),
  )
}

async function readProgress({ op, link }: Visit): Promise<Progress> {
  return findProgress(op, await findCustomer(op, link.customer_id))
}

function toHome({ base }: Visit): Reaction {
  return { redirect: base }
}

/** The customer's status, or the first step that is incomplete. */
async function showHome(visit: Visit): Promise<Reaction> {
  const progress = await readProgress(visit)
  const stage = getStage(progress)
  if (stage !== 'open') return { html: renderStatusPage(visit, stage) }
  const missingItems = listMissing(progress)
  const isBlocked =
    missingItems.length > 0 && missingItems.every((entry) => findStep(progress, entry) === undefined)
  if (isBlocked) return { html: renderObstaclePage(visit, progress) }
  return { redirect: `${visit.base}/${findNextStep(progress)}` }
}

async function takeDetails(
  { call }: Context,
  visit: Visit,
  progress: Progress,
  request: Request,
  typed: Typed,
): Promise<Reaction> {
  const { customer } = progress.customerCase
  const fields = listDetailsFields(progress)
  const { body, faults } = readAnswers(fields, typed, listKnownSecrets(fields, toCustomerView(customer)))
  const showAgain = (status: number, faults: readonly Fault[]) => ({
    status,
    html: renderDetailsPage(visit, progress, { typed, faults }),
  })
  if (faults.length > 0) return showAgain(400, faults)
  const outcome = await call('customer_update', visit, request, {
    params: { customerId: customer.id },
    body: { customerType: customer.customer_type, ...body },
  })
  return outcome.isDone ? toHome(visit) : showAgain(outcome.status, outcome.faults)
}

/** Records if all owners are listed, and continues in that case. */
async function takeOwners(
  { call }: Context,
  visit: Visit,
  progress: Progress,
  request: Request,
  typed: Typed,
): Promise<Reaction> {
  const { customer } = progress.customerCase
  const isWidelyHeld = typed.has(WIDELY_HELD)
  if (isWidelyHeld !== (customer.details.businessInfo?.isWidelyHeld ?? false)) {
    const outcome = await call('customer_update', visit, request, {
      params: { customerId: customer.id },
      body: { customerType: customer.customer_type, businessInfo: { isWidelyHeld } },
    })
    if (!outcome.isDone)
      return { status: outcome.status, html: renderOwnersPage(visit, progress, outcome.faults) }
  }
  const updated = await readProgress(visit)
  if (!listMissing(updated).some((entry) => findStep(updated, entry) === 'owners')) return toHome(visit)
  const message =
    'The list of owners is incomplete. Add the missing owners, correct the requested entries, or confirm that there are no other owners.'
  return { status: 400, html: renderOwnersPage(visit, updated, [{ field: '', message }]) }
}

async function takeOwner(
  { call }: Context,
  visit: Visit,
  progress: Progress,
  request: Request,
  typed: Typed,
): Promise<Reaction> {
  const owner = findRequestedOwner(progress, request)
  const knownSecrets = listKnownSecrets(OWNER_FIELDS, owner && toBeneficialOwnerView(owner))
  const { body, faults } = readAnswers(OWNER_FIELDS, typed, knownSecrets)
  const showAgain = (status: number, faults: readonly Fault[]) => ({
    status,
    html: renderOwnerPage(visit, progress, owner, { typed, faults }),
  })
  if (faults.length > 0) return showAgain(400, faults)
  const outcome = owner
    ? await call('beneficial_owner_update', visit, request, { params: { beneficialOwnerId: owner.id }, body })
    : await call('beneficial_owner_create', visit, request, {
        body: { ...body, customerId: progress.customerCase.customer.id },
        key: getFirstValue(typed, FORM_KEY),
      })
  return outcome.isDone ? { redirect: `${visit.base}/owners` } : showAgain(outcome.status, outcome.faults)
}

/** Accepts a document with its file. Errors are shown together with the input. */
async function takeDocument(
  { app, call, takeUpload }: Context,
  visit: Visit,
  progress: Progress,
  request: Request,
): Promise<Reaction> {
  const typed = new Map<string, readonly string[]>()
  const query = readDocumentQuery(request.query)
  const showAgain = (status: number, faults: readonly Fault[]) => ({
    status,
    html: renderDocumentPage(visit, progress, query, { typed, faults }),
  })
  try {
    await countFile(app, visit)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED')
      return showAgain(429, [{ field: '', message: error.message }])
    throw error
  }
  const replaces = readText(request.query.replaces)
  const form = { visit, typed, isReplacement: replaces !== undefined, hasFile: false }
  const readUploadForm = takeUpload(request, document_create, (name, text) => typed.set(name, [text]))
  const uploadRequest = { readForm: wrapForm(form, readUploadForm), key: readText(request.query.key) }
  const outcome =
    replaces === undefined
      ? await call('document_create', visit, request, uploadRequest)
      : await call('document_replace', visit, request, { ...uploadRequest, params: { documentId: replaces } })
  if (outcome.isDone) return toHome(visit)
  const faults = form.hasFile
    ? outcome.faults
    : [...outcome.faults.filter(({ field }) => field !== 'file'), { field: 'file', message: 'Choose a file' }]
  return showAgain(outcome.status, faults)
}

/** Counts a file before it is accepted, so that a page cannot fill the file store. */
async function countFile(app: App, visit: Visit): Promise<void> {
  await decideAndCommit(
    app,
    visit.op,
    async () => undefined,
    async () => ({ answer: true, writes: [countUpload(await reloadLink(app, visit))] }),
  )
}

interface DocumentForm {
  readonly visit: Visit
  readonly typed: Typed
  readonly isReplacement: boolean
  hasFile: boolean
}

/**
 * Converts the page's form to the API's form. Checks that it belongs to this session before accepting the
 * file.
 */
function wrapForm(form: DocumentForm, readUploadForm: ReadForm): ReadForm {
  const check = () => {
    if (!isFormToken(getFirstValue(form.typed, FORM_TOKEN), form.visit.formToken))
      throw new ApiError('FORBIDDEN')
  }
  return async (receive) => {
    const { fields, file } = await readUploadForm((part, bytes) => {
      check()
      form.hasFile = true
      return receive(part, bytes)
    })
    check()
    const fieldNames = form.isReplacement
      ? DOCUMENT_FIELDS
      : (['documentHolder', ...DOCUMENT_FIELDS] as const)
    const sent = fieldNames.flatMap((name) => (fields[name] ? [[name, fields[name].trim()]] : []))
    return { fields: Object.fromEntries(sent), file }
  }
}

async function submit(
  { call }: Context,
  visit: Visit,
  progress: Progress,
  request: Request,
): Promise<Reaction> {
  const outcome = await call('verification_create', visit, request, {
    body: { customerId: progress.customerCase.customer.id },
  })
  if (!outcome.isDone)
    return { status: outcome.status, html: renderReviewPage(visit, progress, outcome.faults) }
  // A required item may have been removed since the page was rendered.
  const isSent = getStage(await readProgress(visit)) !== 'open'
  return isSent ? { redirect: visit.link.redirect_uri ?? visit.base } : toHome(visit)
}

/** The owner named in the URL, if it belongs to this business. */
function findRequestedOwner({ customerCase }: Progress, { query }: Request): BeneficialOwnerRow | undefined {
  return customerCase.owners.find(({ id }) => id === query.id)
}

function readDocumentQuery({ item, more, camera }: Request['query']) {
  const number = Number(readText(item) ?? 0)
  const isCamera = readText(camera)
  return {
    item: Number.isInteger(number) && number >= 0 ? number : 0,
    more: readText(more),
    camera: isCamera === undefined ? undefined : isCamera === '1',
  }
}

function readText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function getFirstValue(typed: Typed, name: string): string | undefined {
  return typed.get(name)?.[0]
}
