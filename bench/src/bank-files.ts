import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readAch } from '@countersign/server/bank-files/formats/ach-reader'
import { type AchPayment, writeAch } from '@countersign/server/bank-files/formats/ach-writer'
import { readCamt } from '@countersign/server/bank-files/formats/camt'
import { type SepaPayment, writePain001 } from '@countersign/server/bank-files/formats/pain-001'
import { readTwice } from '@countersign/server/bank-files/formats/read-twice'
import { createDiskFolder } from '@countersign/server/bank-files/stores/disk-folder'
import { ratio, table, whole } from './table.ts'

const MIB = 1024 * 1024
/** How often memory is looked at in a run, after everything that is not needed has been collected. */
const SAMPLES = 10
/** A run of a tenth comes first: it compiles the code, and shows what memory a small file needs. */
const SMALL_SHARE = 0.1

/** Measures files of N payments written, and of N entries read (twice, as files of banks are). Prints a table. */
export async function runBankFiles(rows: number): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    const lines: string[][] = [
      ['', 'a second', 'MiB of file', 'MiB/s', 'memory in MiB', 'of that of a tenth'],
    ]
    for (const [name, run] of Object.entries(RUNS)) {
      const small = await measured(root, Math.round(rows * SMALL_SHARE), run)
      const large = await measured(root, rows, run)
      const mib = large.bytes / MIB
      lines.push([
        name,
        whole(rows / large.seconds),
        whole(mib),
        whole(mib / large.seconds),
        whole(large.heapMiB),
        ratio(large.heapMiB, small.heapMiB),
      ])
    }
    process.stdout.write(`\nFiles of ${whole(rows)} payments or entries, on a disk:\n${table(lines)}\n`)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

interface Run {
  readonly prepare?: (root: string, rows: number) => Promise<void>
  readonly run: (root: string, rows: number, seen: () => void) => Promise<void>
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const FILE = { folder: '', name: 'file' } as const

const RUNS: Readonly<Record<string, Run>> = {
  'pain.001 written': {
    run: (root, rows, seen) =>
      createDiskFolder(root).write(FILE, writePain001(sepaHead(rows), sepaPayments(rows, seen))),
  },
  'NACHA written': {
    run: (root, rows, seen) => createDiskFolder(root).write(FILE, nacha(rows, seen)),
  },
  'NACHA read': {
    prepare: (root, rows) =>
      createDiskFolder(root).write(
        FILE,
        nacha(rows, () => undefined),
      ),
    run: (root, _, seen) => readAll(root, readAch, seen),
  },
  'camt.053 read': {
    prepare: (root, rows) => createDiskFolder(root).write(FILE, camt(rows)),
    run: (root, _, seen) => readAll(root, readCamt, seen),
  },
}

async function measured(root: string, rows: number, { prepare, run }: Run) {
  await prepare?.(root, rows)
  const every = Math.ceil(rows / SAMPLES)
  let [most, count, pausedMs] = [0, 0, 0]
  const begun = performance.now()
  await run(root, rows, () => {
    count += 1
    if (count % every !== 0) return
    const paused = performance.now()
    collectGarbage()
    pausedMs += performance.now() - paused
    most = Math.max(most, process.memoryUsage().heapUsed)
  })
  const seconds = (performance.now() - begun - pausedMs) / 1000
  const { size } = await stat(join(root, FILE.name))
  return { seconds, bytes: size, heapMiB: most / MIB }
}

async function readAll<Found>(
  root: string,
  read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Found>,
  seen: () => void,
): Promise<void> {
  for await (const _ of readTwice(() => createReadStream(join(root, FILE.name)), read)) seen()
}

const IBAN = 'DE89370400440532013000'

function sepaHead(rows: number) {
  return {
    messageId: 'BENCH-1',
    createdAt: new Date('2026-03-02T09:30:00Z'),
    executionDate: '2026-03-02',
    isInstant: false,
    debtor: { name: 'Acme', iban: IBAN, bic: 'COBADEFFXXX' },
    count: rows,
    total: BigInt(rows) * 1_250n,
  }
}

async function* sepaPayments(rows: number, seen: () => void): AsyncGenerator<SepaPayment> {
  for (let n = 0; n < rows; n++) {
    seen()
    yield {
      instructionId: n.toString(16).padStart(32, '0'),
      endToEndId: `CS${n.toString(16).toUpperCase().padStart(12, '0')}`,
      amount: 1_250n,
      creditor: { name: 'Łukasz Żółć', iban: 'PL61109010140000071219812874', bic: 'BREXPLPWXXX' },
      remittanceInformation: `Invoice ${n} – thank you`,
    }
  }
}

function nacha(rows: number, seen: () => void): AsyncGenerator<string> {
  const originator = {
    destination: '021000021',
    destinationName: 'BANK',
    origin: '1123456789',
    originName: 'ACME',
    companyName: 'ACME',
    companyId: '1123456789',
    originatingBank: '02100002',
    description: 'PAYOUT',
  }
  const file = { originator, date: '2026-03-02', time: '09:30', modifier: 'A', reference: '1' }
  const batch = { entryClass: 'PPD', direction: 'CREDIT', effectiveDate: '2026-03-03' } as const
  return writeAch(file, [{ ...batch, payments: achPayments(rows, seen) }])
}

async function* achPayments(rows: number, seen: () => void): AsyncGenerator<AchPayment> {
  for (let n = 0; n < rows; n++) {
    seen()
    yield {
      traceSequence: n + 1,
      routingNumber: '011401533',
      account: '1234567890',
      accountKind: 'CHECKING',
      amount: 1_250n,
      individualId: `CS${n.toString(16).toUpperCase().padStart(12, '0')}`,
      name: 'Grâce Hopper',
      remittanceInformation: `Invoice ${n}`,
    }
  }
}

async function* camt(rows: number): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId><CreDtTm>2026-03-03T05:00:00Z</CreDtTm></GrpHdr><Stmt><Id>1</Id><Acct><Id><IBAN>${IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>`
  for (let n = 0; n < rows; n++)
    yield `<Ntry><Amt Ccy="EUR">12.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt><ValDt><Dt>2026-03-02</Dt></ValDt><AcctSvcrRef>${n}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs><InstrId>${n}</InstrId><EndToEndId>CS${n}</EndToEndId></Refs><Amt Ccy="EUR">12.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><Cdtr><Pty><Nm>Grace</Nm></Pty></Cdtr><CdtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></CdtrAcct></RltdPties><RmtInf><Ustrd>Invoice ${n}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`
  yield '</Stmt></BkToCstmrStmt></Document>'
}
