import { type Connection, drive } from './connections.ts'
import { postgresTime, processorTime } from './server-process.ts'

/** The result of one part of one round; processor times are per piece of work. */
export interface Figure {
  readonly perSecond: number
  /** Processor time of the answering process: its main thread, and the others. */
  readonly mainUs: number
  readonly othersUs: number
  /** Processor time of the PostgreSQL that this program started; 0 where there is none. */
  readonly postgresUs: number
}

/** A process, and the connections to it. */
export interface Target {
  readonly pid: number
  readonly connections: readonly Connection[]
}

/** Drives the connections until the time is over or no work is left. */
export async function measure(
  { pid, connections }: Target,
  isOver: () => boolean,
  work: (connection: Connection) => Promise<boolean>,
): Promise<Figure> {
  const [before, postgresBefore] = [processorTime(pid), postgresTime()]
  const { done, seconds } = await drive(connections, isOver, work)
  const spent = processorTime(pid)
  return {
    perSecond: done / seconds,
    mainUs: (spent.main - before.main) / done,
    othersUs: (spent.others - before.others) / done,
    postgresUs: (postgresTime() - postgresBefore) / done,
  }
}

/** The result of work in this program itself, on one core. */
export function oneCore(perSecond: number): Figure {
  return { perSecond, mainUs: 1e6 / perSecond, othersUs: 0, postgresUs: 0 }
}

/** One of several, at random. */
export function anyOf<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!
}
