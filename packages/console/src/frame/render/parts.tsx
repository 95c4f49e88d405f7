import type { Html } from "../frame.tsx";

/** Small parts that many pages share. */

export const renderBackLink = (href: string, label: Html | string): Html => (
  <p class="back">
    <a href={href}>{label}</a>
  </p>
);

export const renderAlert = (text: Html | string | undefined): Html | undefined =>
  text === undefined ? undefined : (
    <p class="attention" role="alert">
      {text}
    </p>
  );

export const renderDone = (text: Html | string | undefined): Html | undefined =>
  text === undefined ? undefined : (
    <p class="done" role="status">
      {text}
    </p>
  );

export const renderTerm = (label: Html | string, value: Html | Html[] | string): Html => (
  <div>
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);

export const joinHtml = <Item,>(items: readonly Item[], separator: string, render: (item: Item) => Html): Html => (
  <>
    {items.map((item, i) => (
      <>
        {i !== 0 && separator}
        {render(item)}
      </>
    ))}
  </>
);

interface TableHead {
  readonly label: string;
  readonly className: string;
  /** Columns with numbers are aligned to the right. */
  readonly columns: readonly (string | { readonly number: string })[];
}

/** A table that scrolls sideways. `body` is its `<tbody>` elements. */
export const renderTable = ({ label, className, columns }: TableHead, body: Html | readonly Html[]): Html => (
  <div class="scroll" tabindex={0} role="region" aria-label={label}>
    <table class={className}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" class={typeof column === "string" ? undefined : "number"}>
              {typeof column === "string" ? column : column.number}
            </th>
          ))}
        </tr>
      </thead>
      {body}
    </table>
  </div>
);
