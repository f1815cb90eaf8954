import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, CountersignError, type ItemOf, toJson } from '@countersign/sdk'
import pc from 'picocolors'
import type { Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorMessage } from '../terminal/thrown.ts'

type LoggedRequest = ItemOf<'request_list'>

const INTERVAL_MS = 1_000
/**
 * Each poll overlaps the previous one, because entries are stored after their response and so may arrive out
 * of order.
 */
const OVERLAP_MS = 15_000
const CLASSES = ['2xx', '4xx', '5xx'] as const

export interface TailFilter {
  readonly status?: number
  readonly statusClass?: (typeof CLASSES)[number]
}

/** Parses a status such as `404`, or a class such as `4xx`. Throws Failure. */
export function readStatus(text: string): TailFilter {
  const statusClass = CLASSES.find((candidate) => candidate === text.toLowerCase())
  if (statusClass) return { statusClass }
  if (/^[1-5]\d\d$/.test(text)) return { status: Number(text) }
  throw new Failure(`--status must be a status such as 404, or one of ${CLASSES.join(', ')}, not "${text}".`)
}

/** `countersign logs tail`: prints each new request once, until the signal is aborted. */
export async function tailLogs(
  shell: Shell,
  { signal, ...filter }: TailFilter & { readonly signal: AbortSignal },
): Promise<void> {
  let printed: ReadonlyMap<string, number> | undefined
  let isDisconnected = false
  while (!signal.aborted) {
    try {
      const since = printed ? Math.max(...printed.values(), 0) - OVERLAP_MS : undefined
      const requests = await fetchRequests(shell, filter, since, signal)
      for (const request of requests)
        if (printed && !printed.has(buildEntryKey(request))) printRequest(shell, request)
      printed = mergeEntries(printed, requests)
      isDisconnected = false
    } catch (error) {
      if (signal.aborted) return
      if (!isTemporary(error) || printed === undefined) throw error
      if (!isDisconnected) io().stderr.write(`${getErrorMessage(error)} Retrying.\n`)
      isDisconnected = true
    }
    await pause(INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Fetches requests, oldest first. Without `sinceMs`, returns the newest page, from which the tail continues.
 */
async function fetchRequests(
  { countersign }: Shell,
  filter: TailFilter,
  sinceMs: number | undefined,
  signal: AbortSignal,
): Promise<LoggedRequest[]> {
  const query = { ...filter, limit: 100 }
  if (sinceMs === undefined || sinceMs <= 0)
    return (await countersign.requests.list(query, { signal })).data.slice().reverse()
  const requests: LoggedRequest[] = []
  const startDate = new Date(sinceMs).toISOString()
  for await (const request of countersign.paginate('request_list', {
    query: { ...query, startDate },
    signal,
  }))
    requests.push(request)
  return requests.reverse()
}

/** Adds new entries to those already seen, and drops entries too old to be returned by another poll. */
function mergeEntries(
  printed: ReadonlyMap<string, number> | undefined,
  requests: readonly LoggedRequest[],
): ReadonlyMap<string, number> {
  const all = new Map([
    ...(printed ?? []),
    ...requests.map((entry) => [buildEntryKey(entry), Date.parse(entry.at)] as const),
  ])
  const newest = Math.max(...all.values())
  return new Map([...all].filter(([, at]) => at >= newest - 2 * OVERLAP_MS))
}

/** Callers can choose a request's id and reuse it, so the key includes the time. */
function buildEntryKey({ httpRequestId, at }: LoggedRequest): string {
  return `${httpRequestId} ${at}`
}

function printRequest({ isJson }: Shell, request: LoggedRequest): void {
  const { at, method, path, status, code, durationMs, httpRequestId } = request
  if (isJson) {
    io().stdout.write(`${toJson(request)}\n`)
    return
  }
  const paint = status >= 500 ? pc.red : status >= 400 ? pc.yellow : pc.green
  const result = paint(code === undefined ? String(status) : `${status} ${code}`)
  const columns = [pc.dim(at.slice(11, 19)), method, path, result, `${durationMs} ms`, pc.dim(httpRequestId)]
  io().stdout.write(`${columns.join('  ')}\n`)
}

function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof CountersignError && (error.status >= 500 || error.status === 429)
}
