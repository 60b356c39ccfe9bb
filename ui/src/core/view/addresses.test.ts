// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { queryToView, viewToQuery } from "./urlState";

/** Addresses that people have shared: each parameter, and each word of those that have few. */
const ADDRESSES = `
  look=%5B%22loss%22%2C0%2Cnull%2C%22Loss%22%2C%22%22%2C%22nats%22%5D align=start archived=shown as=heat as=histogram at=3 axis=relative axis=wall baseline=log
  baseline_profile=%5B%22run%22%2C%22prof%22%5D baseline_steps=0%7E1000 blink=3 blink_run=log brightness=0.5
  brush=%5B%22a%22%2C%7B%22low%22%3A0%2C%22high%22%3A1%7D%5D by=directory by=ranks calls_turned=log camera=10%2C20%2C1.5 center=median
  chart=%5B%22run%22%2C%22prof%22%5D closed=log colored_by=log colors=whole column=log columns=chosen compared=kernels
  compared=operators compared_filter=log compared_regex=log compared_sort=-change_ms compared_sort=-name compared_sort=change_ms
  compared_sort=name compared_state=added compared_state=all compared_state=faster compared_state=gone compared_state=slower
  compared_steps=0%7E1000 contrast=0.5 curves=shown dashboard=log debug=%5B%22run%22%2C%22prof%22%5D debug_atol=0 debug_atol=1e-9 debug_figure=norm
  debug_filter=log debug_non_finite=1 debug_other=%5B%22run%22%2C%22prof%22%5D debug_other_differing=1 debug_other_filter=log
  debug_other_sort=-added debug_other_sort=-level debug_other_sort=added debug_other_sort=level debug_other_step=3 debug_pair=3%2C4
  debug_phase=backward debug_phase=forward debug_phase=optimizer debug_rank=3 debug_regex=log debug_role=buffer debug_role=gradient
  debug_role=input debug_role=output debug_role=parameter debug_row=3 debug_rtol=0.25 debug_show=elements debug_show=heat
  debug_sort=-max_abs debug_sort=-operator debug_sort=max_abs debug_sort=operator debug_step=3 debug_tab=compare debug_part=failure
  debug_part=first_bad debug_part=hits debug_tab=statistics decimals=0 decimals=1 decimals=10 decimals=11 decimals=12 decimals=13 decimals=14
  decimals=15 decimals=16 decimals=17 decimals=2 decimals=3 decimals=4 decimals=5 decimals=6 decimals=7 decimals=8 decimals=9
  details=log difference=3 difference_run=log differing=no dimension=log%3Alr figures=first find=log find_regex=log fixed=log
  flame_memory=log flip=log focus=log fold=log full=log further_row=3 further_table=log gain=16 gain=4 gradient=hidden graph=log
  graph_color=bytes graph_color=device graph_color=dtype graph_color=flops graph_color=gradient_largest graph_color=gradient_norm
  graph_color=gradients_mean graph_color=none graph_color=outputs_max graph_color=outputs_mean graph_color=outputs_non_finite
  graph_color=outputs_zeros graph_color=parameter_largest graph_color=parameter_norm graph_color=parameters graph_color=scope
  graph_color=time graph_color=updates graph_constants=hidden graph_constants=node graph_module=log graph_parameters=hidden
  graph_parameters=node graph_parameters=port graph_phase=backward graph_run=log graph_stacks=log graph_step=3 graph_table=none
  graph_table=scopes graph_table=types group=directory group=ranks group_by=log groups=closed half_life_seconds=0.5 half_life_steps=0.5
  hidden=log hide=log highlight=bytes highlight=first_bad highlight=flops highlight=from highlight=paths highlight=to hits=step
  kernel_wait=3 kind=audio kind=html kind=image kind=mesh kind=table kind=tensor kind=text kind=video landscape=%5B%22run%22%2C%22prof%22%5D landscape_colors=cividis landscape_cut=0.5 landscape_filled=off
  landscape_form=map landscape_full=log landscape_height=0.5 landscape_levels=3 landscape_light=0.5 landscape_lines=off landscape_log=on
  landscape_opacity=0.5 landscape_overlay=on landscape_panel=off landscape_path=off landscape_points=on landscape_reversed=on
  table_search=log table_sort=-2 table_sort=2 table_step=3 table_where=log landscape_scale=off landscape_step=3 landscape_window=0%2C0.5%2C0%2C0.5 lead=log lineage_chart=coordinates
  lineage_chart=heat lineage_chart=importance lineage_chart=scatter link_kind=log linked=off log=log log_filter=log log_level=log
  mesh=wireframe mesh_camera=10%2C-20%2C1.5 median=0.5 memory=0%7E1000 memory_allocated=1 memory_at=3 memory_block=3 memory_by=category memory_by=line memory_by=module
  memory_by=operator memory_device=log memory_group=log memory_page=3 memory_panel=flame memory_panel=leaks memory_panel=segments
  memory_stacked=1 modules_open=all modules_open=hot modules_open=none modules_turned=log node=log numbers=scientific of=whole
  offset=0.5%2Ctrain on_x=log on_y=log only=log operations=different optimizer=hidden other_graph=log other_run=log outliers=keep
  outliers=mark own=relative%2C0.6%2Cignore%2Closs parameters=all pass_through=shown picture=3 pipeline_chart=none pipelines=unfolded
  points=all preview_image=log preview_scalar=log profile=%5B%22run%22%2C%22prof%22%5D profile_hidden=log profile_operation=log
  profile_step=3 profile_stream=log profile_tab=compare profile_tab=memory profile_tab=modules profile_tab=operators
  profile_tab=ranks profile_tab=timeline rank_metric=duration rank_metric=idle raw=band raw=line
  embedding_run=log embedding=log embedding_step=3 embedding_projection=tsne embedding_projection=umap embedding_dimensions=2 embedding_axes=2.3.4
  embedding_perplexity=5 embedding_neighbors=30 embedding_seed=7 embedding_color=log embedding_label=log embedding_labels=all embedding_images=off
  embedding_search=log embedding_regex=log embedding_metric=euclidean embedding_count=100 embedding_point=3 embedding_only=selected
  embedding_panel=off embedding_camera=10%2C-20%2C1.5%2C0.1%2C-0.2
  report=log rows=selected rows=unselected rows_column=log rows_columns=chosen rows_filter=log rows_fixed=log rows_group=each rows_group=name
  rows_hidden=log rows_regex=log rows_row=3 rows_sort=-device_self rows_sort=-share rows_sort=device_self rows_sort=share
  rows_part=kernels rows_where=name%3Daten%3A%3Amm rows_width=3%3A1.2 rows_with=log run=log runs=all runs=none scalar=log scopes=log shape=bands
  shape=both shape=front shape=heat show=table side=3 side_run=log single_operations=scopes size=2 size=4 size=8 size=original sized_by=log slice=log
  smoothing=0.5 sort=-1 spread=confidence spread=deviation spread=error spread=none spread=range stacks=none stage=3%3A1.2 step=3
  swipe=3 swipe_run=log table_order=steps%7E-share tag=log tag_regex=log tags=none target=log text=plain timeline=0%7E1000
  timeline_area=0%7E1000 timeline_closed=log timeline_panel=flame timeline_panel=statistics timeline_regex=log timeline_search=log
  timeline_slice=3 to_node=log toggled=log top=3 top_by=highest_last top_by=lowest_last top_by=maximum top_by=minimum unfolded=all
  watched=log watchpoint=log weight=log where=log width=3%3A1.2 with=log x=log x_tag=log y=log y_axes=one%2Closs
  zoom=0%2C10%2C0%2C1%2Closs groups=closed&opened=loss runs=all&without=a pair=a&pair=b run=a&run=b runs=none
  full=loss&zoom=0%2C10%2C0%2C1
`;

test("charts have the names of before", () => {
  expect(queryToView("landscape_form=contours").landscapes).toMatchObject({ form: "map", isFilled: false });
  expect(queryToView("landscape_form=map").landscapes).toMatchObject({ form: "map", isFilled: true });
  expect(queryToView("lineage_chart=none").lineage.chart).toBe("none");
  expect(queryToView("lineage_chart=distribution&on_x=lr").lineage).toMatchObject({ chart: "scatter", x: "lr" });
});

test("each address of before opens the view that it says", () => {
  for (const address of ADDRESSES.trim().split(/\s+/)) expect(viewToQuery(queryToView(address))).toBe(address);
});

test("tabs of former versions lead to those that have what they had", () => {
  expect(viewToQuery(queryToView("profile_tab=kernels"))).toBe("profile_tab=operators&rows_part=kernels");
  expect(viewToQuery(queryToView("profile_tab=steps&profile_step=3"))).toBe("profile_step=3");
});
