
'use strict';
// Shows the rows of a command's `--json`. Whatever is in a row becomes text, and never markup.
{
  // A text as it was for `--json`, but shortened, with an escape in place of each character that controls text.
  const lines = document.getElementById('rows').textContent.trim().split('\n');
  const [page, ...rows] = lines.map((line) => JSON.parse(line));
  const of = (kind) => rows.filter((row) => row.kind === kind);
  const [summary] = of('summary');
  // Limits of what is drawn.
  const LANES = 12;
  const NAMES = 200;
  const REASONS = 200;
  const EVENTS = 50;

  // Elements.
  const add = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const element = (tag, attributes = {}, ...children) => add(document.createElement(tag), attributes, children);
  const drawn = (tag, attributes, ...children) =>
    add(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
  const classed = (name, ...children) => element('span', { class: name }, ...children);
  const note = (...children) => element('p', { class: 'note' }, ...children);
  const tableRow = (...cells) => element('tr', { role: 'row' }, ...cells);
  const cell = (name, head, ...content) =>
    element('td', { role: 'cell', class: content[0] === 0 ? `${name} zero` : name, 'data-l': head }, ...content);
  const table = (attributes, columns, ...bodies) => {
    const heads = columns.map(([name, ...head]) =>
      element('th', { role: 'columnheader', scope: 'col', class: name }, ...head));
    const top = element('thead', { role: 'rowgroup' }, tableRow(...heads));
    return element('table', { role: 'table', ...attributes }, top, ...bodies);
  };
  const tableBody = (...rows) => element('tbody', { role: 'rowgroup' }, ...rows);

  // Words.
  const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;
  const moment = (time, length) => time.replace('T', ' ').slice(0, length);
  const nameOf = (row) => (row.hook ?? row.name ?? row.command ?? '(not recorded)').replace(/\s+/g, ' ').trim();
  const wordOf = (outcome) => ({ blocked: 'denied', timed_out: 'late' })[outcome] ?? outcome;
  const duration = (milliseconds) => {
    if (milliseconds === undefined || milliseconds === null) return '-';
    const whole = Math.ceil(milliseconds);
    const [divisor, unit] = [[1_000, 'ms'], [60_000, 's'], [3_600_000, 'min'], [Infinity, 'h']].find(([end]) => whole < end);
    if (unit === 'ms') return `${whole} ms`;
    return `${(whole / (divisor === Infinity ? 3_600_000 : divisor / 60)).toFixed(1)} ${unit}`;
  };
  const more = (kind) => {
    const out = page.left_out[kind];
    return out ? ` Left out: ${out} of ${out + of(kind).length}; --json has all.` : '';
  };

  const total = (sums) => Object.values(sums).reduce((sum, number) => sum + number, 0);

  // What filters hide, by the hooks and outcomes that it is about.
  const lanes = [];
  const tables = [];
  const item = (nodes, row, outcomes, text, events = [row.event ?? 'PreToolUse']) => ({
    nodes, outcomes, text: text.toLowerCase(), events, name: nameOf(row), searched: nameOf(row).toLowerCase(),
  });

  // The two commands.
  const why = (row) => row.reason ?? row.why ?? 'the hook was not started';
  const subject = (row) => `${row.event ?? ''} ${row.subject ?? row.matcher ?? row.tool ?? ''}`.trim();
  const COUNTED = [
    ['n', 'Times', (row) => row.times],
    ['e', 'Event', subject],
    ['h', 'Hook', nameOf],
    ['w', 'Reason', why],
    ['t', 'Last', (row) => moment(row.last, 16)],
  ];
  const VIEW = {
    stats: {
      title: 'Hooks in past sessions',
      first: 1,
      outcome: 'Outcome',
      outcomes: ['succeeded', 'failed', 'blocked', 'timed_out', 'cancelled', 'background'],
      counted: ['runs on the timeline', 'sessions'],
      figures: [
        ['sessions', (all) => all.sessions],
        ['tool calls', (all) => all.tool_calls],
        ['recorded runs', (all) => total(all.sums)],
        ['denied', (all) => all.sums.blocked],
        ['failed', (all) => all.sums.failed],
        ['late', (all) => all.sums.timed_out],
        ['Claude waited', (all) => duration(all.waited_milliseconds)],
      ],
      columns: [['Runs', 'runs'], ['Failed', 'failed'], ['Denied', 'blocked'], ['Late', 'timed_out']],
      tables: [
        ['Bypassed from inside Claude Code', 'bypassed', ['denied'], [
          ['t', 'Time', (row) => moment(row.time, 16)],
          ['e', 'Tool', subject],
          ['h', 'Hook', nameOf],
          ['w', 'Denial', why],
          ['w', 'Call', (row) => row.about ?? ''],
        ]],
        ['Denied', 'denial', ['denied'], COUNTED],
        ['Failed, and Claude Code went ahead', 'failure', ['failed', 'late'], COUNTED],
        ['Ignored parts of answers', 'ignored', ['succeeded'], COUNTED],
        ['No recorded run', 'unseen', [], [
          ['e', 'Event', subject], ['h', 'Hook', nameOf], ['w', 'Calls', (row) => row.sentence],
        ]],
      ],
      notes: 'What is not recorded',
    },
    backtest: {
      title: 'Backtest: what hooks would have answered',
      first: 0.1,
      outcome: 'Answer',
      outcomes: ['failed', 'denied', 'asked', 'changed', 'allowed', 'informed', 'admitted'],
      counted: ['events', 'reasons'],
      figures: [
        ['sessions', (all) => all.sessions],
        ['past events', (all) => all.events],
        ['calls of hooks', (all) => total(all.sums)],
        ['failed', (all) => all.sums.failed],
        ['denied', (all) => all.sums.denied],
        ['asked', (all) => all.sums.asked],
        ...(summary.against ? [['differing', (all) => all.differing]] : []),
      ],
      columns: [
        ['Calls', 'calls'], ['Failed', 'failed'], ['Denied', 'denied'], ['Asked', 'asked'], ['Changed', 'changed'],
        ['Allowed', 'allowed'], ['Informed', 'informed'], ['Admitted', 'admitted'],
      ],
      tables: [],
      notes: 'What differs from that time',
    },
  }[page.command];

  const header = () => {
    const about = element('p', {}, `${moment(summary.since, 10)} to ${moment(summary.until, 16)} UTC`);
    for (const [before, what] of [[', in ', summary.project], [', compared with ', summary.against]]) {
      if (what) about.append(before, classed('where', what));
    }
    const figures = VIEW.figures.map(([what, figure]) =>
      element('div', {}, element('dt', {}, what), element('dd', {}, figure(summary))));
    const unread = [[summary.damaged_rows, 'row'], [summary.unread, 'transcript']].filter(([count]) => count > 0);
    return element('header', {}, element('h1', {}, VIEW.title), about, element('dl', { class: 'figures' }, ...figures),
      ...unread.map(([count, what]) => note(`${counted(count, what)} could not be read`)));
  };

  // The distribution of a hook's times, on a log scale that all plots share.
  const LABELS = ['100 µs', '1 ms', '10 ms', '100 ms', '1 s', '10 s', '100 s', '17 min', '2.8 h'];
  const COLUMNS = 50;
  const HEIGHT = 24;
  const labels = VIEW.first < 1 ? LABELS : LABELS.slice(1);
  const slowest = Math.max(...of('hook').map((row) => row.max_milliseconds ?? 0), 0);
  const decades = [...labels.keys()].slice(1).find((decade) => slowest <= VIEW.first * 10 ** decade) ?? labels.length - 1;
  const percent = (part) => `${(part * 100).toFixed(2)}%`;
  const place = (time) => Math.min(Math.log10(Math.max(time / VIEW.first, 1)) / decades, 1);
  const scale = labels.slice(0, decades + 1).map((label, decade) => [label, percent(decade / decades)]);
  const axis = () => drawn('svg', { class: 'axis', width: '100%', height: 14, 'aria-hidden': true },
    ...scale.map(([label, x], decade) => drawn('text', {
      y: 11, x, 'text-anchor': decade === 0 ? 'start' : decade === decades ? 'end' : 'middle',
    }, label)));
  const plot = (row) => {
    const line = (name, x) => drawn('line', { class: name, y2: HEIGHT, x1: x, x2: x });
    const columns = new Map();
    for (const [time, runs] of row.times) {
      const column = Math.min(Math.floor(place(time) * COLUMNS), COLUMNS - 1);
      columns.set(column, (columns.get(column) ?? 0) + runs);
    }
    const highest = Math.max(...columns.values());
    const bars = [...columns].map(([column, runs]) => {
      // By the root, so that a single run stays visible next to thousands.
      const height = Math.max(Math.sqrt(runs / highest) * (HEIGHT - 2), 2);
      return drawn('rect', { x: percent(column / COLUMNS), y: HEIGHT - height, height });
    });
    const lines = ['p50', 'p90', 'max'].map((name) => [name, row[`${name}_milliseconds`]]);
    const known = lines.filter(([, time]) => time !== null);
    return drawn('svg', { class: 'plot', width: '100%', height: HEIGHT, 'aria-hidden': true },
      ...scale.map(([, x]) => line('g', x)), ...bars, ...known.map(([name, time]) => line(name, percent(place(time)))));
  };

  const hookTable = () => {
    const groups = new Map();
    for (const row of of('hook')) {
      const event = row.event ?? '';
      groups.set(event, [...(groups.get(event) ?? []), row]);
    }
    if (groups.size === 0) return [];
    const times = ['p50', 'p90', 'max'];
    const columns = [
      ['h', 'Hook'], ...VIEW.columns.map(([head]) => ['n', head]),
      ['plots', element('span', { class: 'unseen' }, 'Time'), axis()], ...times.map((time) => ['n', time]),
    ];
    const bodies = [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([event, rows]) => {
      const items = rows.map((row) => {
        const node = tableRow(
          element('th', { role: 'rowheader', scope: 'row', class: 'h' }, nameOf(row)),
          ...VIEW.columns.map(([head, member]) => cell('n', head, row[member])),
          element('td', { role: 'cell', class: 'plots' }, plot(row)),
          ...times.map((time) => cell('n', time, duration(row[`${time}_milliseconds`]))),
        );
        return item([node], row, VIEW.outcomes.filter((outcome) => row[outcome] > 0).map(wordOf), '', row.events);
      });
      const title = element('th', { role: 'rowheader', colspan: columns.length, scope: 'rowgroup' }, event);
      const body = tableBody(...(event ? [tableRow(title)] : []), ...items.flatMap(({ nodes }) => nodes));
      return { body, items };
    });
    const section = element('section', {}, element('h2', { id: 'hooks' }, 'Hooks'),
      note(`Times are on a log scale, with a grid line at ${labels[0]} and at each power of ten: bars are runs, lines are `,
        ...times.flatMap((time, number) => [element('b', { class: time }, time), [', ', ' and ', '.'][number]]), more('hook')),
      table({ class: 'wide hooks', 'aria-labelledby': 'hooks' }, columns, ...bodies.map(({ body }) => body)),
      ...of('hook').filter((row) => row.if).map((row) =>
        note(`Claude Code would call ${nameOf(row)} only where ${row.if} holds, which is not checked here.`)));
    tables.push({ section, groups: bodies });
    return [section];
  };

  const rowTable = ([title, kind, outcomes, columns]) => {
    // Rows that differ in nothing but what is left out are one.
    const merged = new Map();
    for (const row of of(kind)) {
      const key = JSON.stringify([row.time, subject(row), nameOf(row), row.about, why(row)]);
      const known = merged.get(key);
      const last = known?.last > row.last ? known.last : row.last;
      merged.set(key, { ...row, times: (known?.times ?? 0) + row.times, last });
    }
    if (merged.size === 0) return [];
    const sorted = [...merged.values()].sort((one, other) => (other.times || 0) - (one.times || 0));
    const items = sorted.map((row) =>
      item([tableRow(...columns.map(([name, head, text]) => cell(name, head, text(row))))], row, outcomes, ''));
    const body = tableBody(...items.flatMap(({ nodes }) => nodes));
    const section = element('section', {}, element('h2', {}, title), ...(more(kind) ? [note(more(kind))] : []),
      table({ class: 'wide', 'aria-label': title }, columns.map(([name, head]) => [name, head]), body));
    tables.push({ section, groups: [{ body, items }] });
    return [section];
  };

  const grouped = (rows, key) => {
    const groups = new Map();
    for (const row of rows) {
      const known = key(row);
      if (!groups.has(known)) groups.set(known, []);
      groups.get(known).push(row);
    }
    return [...groups.values()];
  };

  // The timeline: a lane for each session, with a mark and a row for each run.
  const lane = (runs) => {
    const { session, folder } = runs[0];
    const at = runs.map((run) => Date.parse(run.time));
    const [first, last] = [at.at(-1), at[0]];
    const items = runs.map((run, number) => {
      const outcome = wordOf(run.outcome);
      const mark = drawn('rect', { x: percent((at[number] - first) / Math.max(last - first, 1)), class: outcome });
      const row = tableRow(
        cell('', 'Time', run.time.slice(11, 19)), cell('', 'Event', subject(run)), cell('', 'Hook', nameOf(run)),
        cell(`o ${outcome}`, 'Outcome', outcome), cell('n', 'Took', duration(run.milliseconds)),
      );
      return item([mark, row], run, [outcome], '');
    }).reverse();
    // Successes are drawn first, so that they hide nothing.
    const isQuiet = ({ outcomes: [outcome] }) => outcome === 'succeeded';
    const marks = [...items.filter(isQuiet), ...items.filter((each) => !isQuiet(each))].map(({ nodes: [mark] }) => mark);
    const sums = ['denied', 'failed', 'late'].map((word) => [items.filter(({ outcomes }) => outcomes[0] === word).length, word]);
    const sum = [counted(items.length, 'run'), ...sums.filter(([count]) => count > 0).map((each) => each.join(' '))];
    const begin = moment(runs.at(-1).time, 16);
    const node = element('details', { class: 'lane' },
      element('summary', {},
        classed('when', element('b', {}, begin), ` ${duration(last - first)}`),
        classed('where', folder ?? session),
        drawn('svg', { width: '100%', height: 22, 'aria-hidden': true }, ...marks),
        classed('sum', sum.join(', '))),
      element('p', { class: 'id' }, `Session ${session}`),
      table({ 'aria-label': 'Runs' }, [['', 'Time'], ['', 'Event'], ['', 'Hook'], ['', 'Outcome'], ['n', 'Took']],
        tableBody(...items.map(({ nodes: [, row] }) => row))));
    lanes.push({ node, text: `${begin} ${folder ?? ''} ${session}`.toLowerCase(), items });
    return node;
  };
  const timeline = () => {
    const runs = of('run');
    const sessions = grouped(runs, (run) => run.session).map(lane);
    const rest = sessions.splice(LANES);
    if (rest.length > 0) {
      sessions.push(element('details', { class: 'older' },
        element('summary', {}, counted(rest.length, 'older session')), ...rest));
    }
    const about = note('A lane is a session, from its first recorded run to its last; open it for the runs. Times are in UTC.');
    const out = summary.runs_left_out + (page.left_out.run ?? 0);
    if (out > 0) {
      about.append(' ', element('b', {}, `Left out: ${counted(out, 'run')}`), `, older than these ${runs.length} in ${
        counted(lanes.length, 'session')}; the figures and the tables below include them.`);
    }
    const legend = VIEW.outcomes.map(wordOf).map((word) => element('li', {},
      drawn('svg', { width: 8, height: 22, 'aria-hidden': true }, drawn('rect', { x: 3, class: word })), word));
    return [element('ul', { class: 'legend', 'aria-label': 'Outcomes' }, ...legend),
      element('section', {}, element('h2', {}, 'Sessions'), about, ...sessions)];
  };

  // The reasons of answers: those that differ only in what they quote are one.
  const firstLine = (text) => text.trim().split('\n')[0];
  const quoted = (text) => firstLine(text).split('`').filter((_, number) => number % 2 === 1);
  const unquoted = (text) => firstLine(text).split('`').map((part, number) => (number % 2 === 1 ? '…' : part)).join('`');
  const said = (kind, text) => [element('b', { class: kind }, kind), ` ${text}`];
  const reason = (answers) => {
    const [newest] = answers;
    const isCompared = newest.other_answer !== null;
    const items = answers.slice(0, EVENTS).map((answer) => {
      const id = answer.folder ? `${answer.session} in ${answer.folder}` : answer.session;
      const time = moment(answer.time, 19);
      const about = answer.about ? [' ', element('span', {}, answer.about)] : [];
      const answered = isCompared
        ? [
          cell('said', summary.against, ...said(answer.other_answer, firstLine(answer.other_text))),
          cell('said', 'now', ...said(answer.answer, firstLine(answer.text))),
        ]
        : [cell('said', 'Quoted', page.is_redacted ? answer.text : quoted(answer.text).join(', '))];
      const node = tableRow(cell('when', 'Time', time), cell('id', 'Session', id),
        cell('input', 'Event', subject(answer), ...about), ...answered);
      return item([node], answer, [answer.answer, ...(isCompared ? [answer.other_answer] : [])], `${time} ${id}`);
    });
    const columns = ['Time', 'Session', 'Event', ...(isCompared ? [summary.against, 'Now'] : ['Quoted'])];
    const versions = isCompared
      ? [
        classed('said', `${summary.against}: `, ...said(newest.other_answer, unquoted(newest.other_text))),
        classed('said', 'now: ', ...said(newest.answer, unquoted(newest.text))),
      ]
      : [classed('said', ...said(newest.answer, unquoted(newest.text)))];
    const node = element('details', { class: `lane reason${isCompared ? ' both' : ''}` },
      element('summary', {}, classed('times', `${answers.length} ×`), ...versions, classed('sum', nameOf(newest)),
        ...(newest.about ? [classed('example', `${newest.subject} ${newest.about}`)] : [])),
      ...(answers.length > EVENTS ? [note(`The newest ${EVENTS} of ${counted(answers.length, 'event')}`)] : []),
      table({ 'aria-label': 'Events' }, columns.map((head) => ['', head]), tableBody(...items.flatMap(({ nodes }) => nodes))));
    lanes.push({ node, text: '', items });
    return node;
  };
  const reasons = () => {
    const key = (answer) => JSON.stringify([
      answer.hook, answer.answer, unquoted(answer.text), answer.other_answer, unquoted(answer.other_text ?? ''),
    ]);
    const strength = ([answer]) => VIEW.outcomes.indexOf(answer.answer);
    const found = grouped(of('answer'), key)
      .sort((one, other) => strength(one) - strength(other) || other.length - one.length);
    const title = summary.against ? `Answers that differ from ${summary.against}` : 'Reasons';
    const about = note(found.length > 0
      ? 'Texts that differ only in what they quote are one; open it for its newest events. Times are in UTC.'
      : summary.against ? 'No answer differs.' : 'Each answer is admitted.');
    const left = (what, rest) => about.append(' ', element('b', {}, `Left out: ${what}`), rest);
    if (found.length > REASONS) left(found.length - REASONS, ` of ${counted(found.length, 'reason')}; --json has all.`);
    const out = of('hook').reduce((sum, row) => sum + row.answers_left_out, page.left_out.answer ?? 0);
    if (out > 0) left(counted(out, 'answer'), ', more than can be kept; the figures and the table above include them.');
    return [element('section', {}, element('h2', {}, title), about, ...found.slice(0, REASONS).map(reason))];
  };

  const main = document.querySelector('main');
  const form = document.getElementById('filters');
  const field = (id) => document.getElementById(id);
  main.prepend(header());
  const isStats = page.command === 'stats';
  main.append(...(isStats ? timeline() : []), ...hookTable(), ...(isStats ? [] : reasons()), ...VIEW.tables.flatMap(rowTable),
    element('section', { class: 'always' }, element('h2', {}, VIEW.notes), ...summary.notes.map((text) => element('p', {}, text))));
  document.title = VIEW.title;
  const items = [...lanes, ...tables.flatMap(({ groups }) => groups)].flatMap((group) => group.items);
  const option = (value, text = value) => element('option', { value }, text);
  const first = (values) => [...new Set(values)].sort().slice(0, NAMES).map((value) => option(value));
  field('names').append(...first(items.map(({ name }) => name)));
  field('event').append(...first(items.flatMap(({ events }) => events)));
  field('outcomes').append(VIEW.outcome);
  field('outcome').append(...VIEW.outcomes.map(wordOf).map((word) => option(word)));

  const all = lanes.reduce((sum, each) => sum + each.items.length, 0);
  const older = document.querySelector('.older');
  const apply = () => {
    const [name, session] = ['hook', 'session'].map((id) => field(id).value.trim().toLowerCase());
    const [event, outcome] = ['event', 'outcome'].map((id) => field(id).value);
    const isFiltered = Boolean(name || event || outcome);
    const fits = (each) => each.searched.includes(name) && (!event || each.events.includes(event))
      && (!outcome || each.outcomes.includes(outcome));
    const show = (items, isShown) => {
      const shown = items.filter(isShown);
      const nodes = new Set(shown);
      for (const each of items) for (const node of each.nodes) node.toggleAttribute('hidden', !nodes.has(each));
      return shown.length;
    };
    let [shownItems, shownLanes, isOlder] = [0, 0, false];
    for (const { node, text, items } of lanes) {
      const shown = show(items, (each) => fits(each) && (text.includes(session) || each.text.includes(session)));
      node.hidden = shown === 0;
      shownItems += shown;
      shownLanes += Number(shown > 0);
      isOlder ||= shown > 0 && older?.contains(node);
    }
    if (older) {
      older.hidden = !isOlder;
      older.open ||= isFiltered || session !== '';
    }
    for (const { section, groups } of tables) {
      const shown = groups.map(({ body, items }) => {
        const count = show(items, fits);
        body.hidden = count === 0;
        return count;
      });
      section.hidden = shown.every((count) => count === 0);
    }
    const [itemWords, laneWords] = VIEW.counted;
    field('status').textContent = isFiltered || session
      ? `${shownItems} of ${all} ${itemWords}, in ${shownLanes} of ${lanes.length} ${laneWords}` : '';
  };
  let waiting = 0;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 80);
  };
  form.addEventListener('input', later);
  form.addEventListener('reset', later);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  // A browser keeps what was typed when the page is loaded again.
  apply();
}
