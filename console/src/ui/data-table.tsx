import { Anchor, Skeleton } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Column } from './column.ts'
import { type Fit, useFittingColumns } from './fitting-columns.ts'
import { onListKey, useListKeys } from './list-keys.ts'
import { NamesContext } from './listed-name.tsx'
import { CheckedRow, SelectAll, type Selection } from './selection.tsx'
import { EmptyState, ErrorState } from './states.tsx'
import { getRowTemplate, HeadRow, TableRow } from './table-parts.tsx'
import type { PagedList } from './use-listed.ts'

interface DataTableProps<Row> {
  /** The table's accessible name, such as `Customers`. */
  readonly name: string
  /** The URL of the CSV file with all rows, from `csvAddress()`. Omitted if the list has no file. */
  readonly file?: string
  readonly columns: readonly Column<Row>[]
  readonly list: PagedList<Row>
  readonly getId: (row: Row) => string
  /** The path of a row's page. Undefined for a row without a page. */
  readonly getLink?: (row: Row) => string | undefined
  /** Adds a checkbox to each row. */
  readonly selection?: Selection<Row>
  /** Bulk actions, shown next to the number of selected rows. */
  readonly actions?: ReactNode
  readonly empty: { readonly title: string; readonly text?: string; readonly action?: ReactNode }
}

const ROW_PIXELS = 44
/** Estimated height of a card with four cells. Actual heights are measured. */
const CARD_PIXELS = 116
const OVERSCAN = 12
/** The next page is loaded when this many rows remain. */
const PREFETCH_ROWS = 20

/**
 * A list of any length that scrolls with the page. Only visible rows are rendered, and further pages are
 * loaded while scrolling. Columns are either shown completely or hidden; if too few fit, rows become cards;
 * the count and the CSV file are above the table.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { file, list, actions, empty } = props
  const { rows, isLoading, error, retry } = list
  if (error) return <ErrorState error={error} retry={retry} />
  if (!isLoading && rows.length === 0)
    return (
      <div className="table" role="status">
        <EmptyState title={empty.title} action={empty.action}>
          {empty.text}
        </EmptyState>
      </div>
    )
  return (
    <div>
      <Bar file={file} list={list} actions={actions} />
      <Table {...props} />
    </div>
  )
}

function Table<Row>({ name, columns, list, getId, getLink, selection }: DataTableProps<Row>) {
  const { rows, isLoading, isStale, hasMore } = list
  const box = useRef<HTMLDivElement>(null)
  useListKeys(box)
  const fit = useFittingColumns(columns, box, selection !== undefined)
  const template = getRowTemplate(fit, selection !== undefined)
  return (
    <div
      ref={box}
      className={fit.isCards ? 'table folded' : 'table'}
      role="table"
      aria-label={name}
      aria-busy={isLoading || isStale}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      onKeyDown={onListKey}
    >
      <HeadRow
        fit={fit}
        template={template}
        check={selection && <SelectAll selection={selection} ids={rows.map(getId)} />}
      />
      {isLoading && <SkeletonRows fit={fit} template={template} />}
      <NamesContext value={list.names}>
        <VirtualRows {...{ list, fit, template, getId, getLink, selection }} />
      </NamesContext>
    </div>
  )
}

interface VirtualRowsProps<Row> {
  readonly list: PagedList<Row>
  readonly fit: Fit<Row>
  readonly template: CSSProperties
  readonly getId: DataTableProps<Row>['getId']
  readonly getLink: DataTableProps<Row>['getLink']
  readonly selection: DataTableProps<Row>['selection']
}

/** Renders the visible rows, and loads the next page when its rows come near. */
function VirtualRows<Row>({ list, fit, template, getId, getLink, selection }: VirtualRowsProps<Row>) {
  const { rows, hasMore, isLoadingMore, loadMore } = list
  const { box, top } = useOffsetTop()
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (fit.isCards ? CARD_PIXELS : ROW_PIXELS),
    overscan: OVERSCAN,
    scrollMargin: top,
  })
  const { isCards } = fit
  // The card layout has different row heights.
  useLayoutEffect(() => virtual.measure(), [virtual, isCards])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - PREFETCH_ROWS) loadMore()
  }, [hasMore, isLoadingMore, last, rows.length, loadMore])
  return (
    <div ref={box} style={{ height: virtual.getTotalSize(), position: 'relative' }} role="rowgroup">
      {items.map(({ index, start, key }) => {
        const row = rows[index]
        if (row === undefined) return null
        const shared = { row, fit, style: template, to: getLink?.(row), index: index + 2 }
        return (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            role="presentation"
            style={{
              position: 'absolute',
              insetInline: 0,
              transform: `translateY(${start - top}px)`,
            }}
          >
            {selection ? (
              <CheckedRow {...shared} id={getId(row)} selection={selection} />
            ) : (
              <TableRow {...shared} />
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Measures the table's distance from the top of the page, and updates it when the content above changes. */
function useOffsetTop() {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const { current } = box
      if (current) setTop(Math.round(current.getBoundingClientRect().top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  return { box, top }
}

function Bar<Row>(props: {
  readonly file: string | undefined
  readonly list: PagedList<Row>
  readonly actions: ReactNode
}) {
  const { file, list, actions } = props
  const { rows, isLoading, hasMore, hasChanged, reload, totalCount } = list
  return (
    <div className="list-bar">
      <span className="soft" aria-live="polite">
        {isLoading ? 'Loading …' : describeCount(rows.length, hasMore, totalCount)}
      </span>
      {hasChanged && (
        <Anchor component="button" inherit onClick={reload}>
          Newer data is available. Load again.
        </Anchor>
      )}
      {actions}
      {file !== undefined && !isLoading && (
        <Anchor href={file} download inherit>
          Save as CSV
        </Anchor>
      )}
    </div>
  )
}

function describeCount(shownCount: number, hasMore: boolean, total: number | undefined): string {
  const formattedCount =
    total !== undefined && total > shownCount
      ? `${shownCount.toLocaleString()} of ${total.toLocaleString()}`
      : shownCount.toLocaleString()
  return `${formattedCount} ${shownCount === 1 && !hasMore ? 'row' : 'rows'} shown${hasMore ? ', more as you scroll' : ''}`
}

const SKELETON_ROWS = 8

function SkeletonRows<Row>({ fit, template }: Pick<VirtualRowsProps<Row>, 'fit' | 'template'>) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // The placeholder rows never change their order.
    <div key={row} className="row" style={template} role="presentation">
      {fit.columns.map(({ id, isRightAligned }) => (
        <span key={id} className={isRightAligned ? 'cell right' : 'cell'}>
          <Skeleton h={14} w={isRightAligned ? 80 : 120} />
        </span>
      ))}
    </div>
  ))
}
